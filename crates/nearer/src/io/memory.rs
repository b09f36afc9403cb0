//! How much memory may be used: what the system has free, and what this process is allowed.

use std::fs;
use std::path::{Path, PathBuf};

/// Free memory in bytes, and no more than the process may have by its group (a container) and by `ulimit -v`; `None`
/// where the system does not tell.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let free = kilobytes(&read("/proc/meminfo"), "MemAvailable:");
    let own = address_space(&read("/proc/self/limits"), &read("/proc/self/status"));
    let group = groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    free.into_iter().chain(own).chain(group).min()
}

/// A line such as `MemAvailable:  1234 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.saturating_mul(1024))
}

/// What `ulimit -v` leaves beside what is mapped already.
fn address_space(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(kilobytes(status, "VmSize:").unwrap_or(0)))
}

/// What the tightest of the groups around this process leaves; version 2 of the interface, and version 1.
fn groups(own: &str, root: &Path) -> Option<u64> {
    let lines = own.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        match controllers {
            "" => Some((root.to_owned(), path, ["memory.max", "memory.current", "inactive_file"])),
            c if c.split(',').any(|c| c == "memory") => {
                let files = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"];
                Some((root.join("memory"), path, files))
            }
            _ => None,
        }
    });
    lines.flat_map(|(top, path, files)| levels(&top, path).into_iter().filter_map(move |l| left(&l, files))).min()
}

/// The folder of a group and those above it. In a container the own path may not be visible: then the top is the group.
fn levels(top: &Path, path: &str) -> Vec<PathBuf> {
    let deepest = top.join(path);
    deepest.ancestors().take_while(|a| a.starts_with(top)).map(Path::to_owned).collect()
}

/// The limit less what is used; file pages that nobody has touched lately are given back on demand, so they count as free.
fn left(group: &Path, [most, used, reclaimable]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let most = number(most)?;
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|l| l.strip_prefix(reclaimable)?.trim().parse::<u64>().ok());
    Some(most.saturating_sub(number(used).unwrap_or(0).saturating_sub(cached.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_with_a_full_page_cache_has_room() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("memory.max"), "max\n").unwrap();
        fs::write(dir.path().join("a/memory.max"), "1000000\n").unwrap();
        fs::write(dir.path().join("a/memory.current"), "990000\n").unwrap();
        fs::write(dir.path().join("a/memory.stat"), "anon 40000\nfile 950000\ninactive_file 900000\n").unwrap();
        assert_eq!(groups("0::/a/b\n", dir.path()), Some(910_000));
        assert_eq!(groups("0::/\n", dir.path()), None);
    }

    #[test]
    fn the_first_interface_is_read_too() {
        let dir = tempfile::tempdir().unwrap();
        let group = dir.path().join("memory/g");
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("memory.limit_in_bytes"), "5000\n").unwrap();
        fs::write(group.join("memory.usage_in_bytes"), "4000\n").unwrap();
        fs::write(group.join("memory.stat"), "inactive_file 1\ntotal_inactive_file 2500\n").unwrap();
        assert_eq!(groups("5:cpu:/g\n4:memory,hugetlb:/g\n", dir.path()), Some(3500));
    }

    #[test]
    fn a_limit_on_addresses_counts() {
        let limits = "Limit                     Soft Limit  Hard Limit  Units\n\
                      Max address space         1048576     unlimited   bytes\n";
        assert_eq!(address_space(limits, "VmSize:\t     512 kB\n"), Some(524_288));
        assert_eq!(address_space(&limits.replace("1048576", "unlimited"), ""), None);
        assert_eq!(kilobytes("MemFree: 1 kB\nMemAvailable:   2048 kB\n", "MemAvailable:"), Some(2 << 20));
    }
}

//! Unfinished files of runs that were killed: how they are called, and when they may go.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

/// What no run leaves this long is left over, wherever its process was.
const OLD: Duration = Duration::from_secs(24 * 3600);

/// The beginning of the name of an unfinished file: where the process runs, and which it is.
pub(crate) fn prefix() -> String {
    format!(".nearer-{}-{}-", place(), std::process::id())
}

/// Eight digits for this start of this machine and this space of process numbers: two containers that share a folder may
/// hold different processes of one number. `0` where the system does not tell.
fn place() -> String {
    let boot = fs::read("/proc/sys/kernel/random/boot_id").ok();
    let space = fs::read_link("/proc/self/ns/pid").ok();
    match (boot, space) {
        (Some(boot), Some(space)) => {
            let digest = Sha256::new().chain_update(boot).chain_update(space.as_os_str().as_encoded_bytes()).finalize();
            digest.iter().take(4).map(|b| format!("{b:02x}")).collect()
        }
        _ => "0".into(),
    }
}

/// Removes what killed runs left in a folder: only files of our own naming, and only if their process is gone or they
/// are a day old.
pub(crate) fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let here = place();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some((place, process)) = name.to_str().and_then(parts) else { continue };
        let gone = place == here && here != "0" && !Path::new("/proc").join(process.to_string()).exists();
        let old = || {
            let changed = entry.metadata().and_then(|m| m.modified()).ok();
            changed.and_then(|c| SystemTime::now().duration_since(c).ok()).is_some_and(|age| age > OLD)
        };
        if (gone || old()) && entry.file_type().is_ok_and(|t| t.is_file()) {
            // What cannot be removed was there before and does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The place and the process in a name of ours.
fn parts(name: &str) -> Option<(&str, u32)> {
    let mut parts = name.strip_prefix(".nearer-")?.splitn(3, '-');
    let (place, process, _) = (parts.next()?, parts.next()?, parts.next()?);
    Some((place, process.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_what_the_dead_left_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = child.id();
        child.wait().unwrap();
        let here = place();
        let left = [
            format!(".nearer-{here}-{}-abc", std::process::id()),
            format!(".nearer-00000000-{dead}-abc"),
            ".nearer-notes".to_string(),
            format!("nearer-{here}-{dead}-abc"),
            "map.csv".to_string(),
        ];
        for name in left.iter().chain([&format!(".nearer-{here}-{dead}-abc")]) {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let aged = dir.path().join(".nearer-00000000-1-abc");
        let long_ago = SystemTime::now() - 2 * OLD;
        fs::File::create(&aged).unwrap().set_modified(long_ago).unwrap();
        clear(dir.path());
        let mut names: Vec<String> =
            fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        let mut left = left.to_vec();
        left.sort();
        assert_eq!(names, left);
    }
}

//! Files of a run: all written beside their targets first, then renamed, so that each is whole or as it was.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use crate::error::Error;
use crate::io::litter;

/// Output that appears only when all of it is written. Dropped without [`commit`](Outbox::commit), it leaves nothing
/// behind and old files as they were.
///
/// A commit renames one file after the other. If one of them fails, those before it are put back; each file is at any
/// time either the old one or the new one, whole. Runs that put files into one folder at the same time do so one after the other, so
/// that what one of them wrote stays together. What no program can promise is that a machine that loses its power, or
/// a `kill -9`, does not come between two renames: then some files are new and the rest are old. What such a run left
/// unfinished in the folder is cleared away by the next.
///
/// ```
/// use nearer::io::Outbox;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("out.txt");
/// let mut out = Outbox::new();
/// out.file(&path, |w| Ok(w.write_all(b"done").unwrap()))?;
/// assert!(!path.exists());
/// out.commit()?;
/// assert!(path.exists());
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct Outbox {
    waiting: Vec<Waiting>,
}

#[derive(Debug)]
enum Waiting {
    /// To be renamed.
    Beside(NamedTempFile, PathBuf),
    /// To be written into what is no regular file: a device, a pipe.
    Direct(Vec<u8>, PathBuf),
}

impl Outbox {
    /// Nothing to write yet.
    #[must_use]
    pub fn new() -> Self {
        Outbox::default()
    }

    /// Writes one file, for now beside its target.
    pub fn file(
        &mut self,
        path: impl AsRef<Path>,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let path = path.as_ref();
        let fail = |e: io::Error| failed(path, e);
        if let Ok(old) = fs::metadata(path)
            && !old.is_file()
        {
            if old.is_dir() {
                return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
            }
            let mut bytes = Vec::new();
            write(&mut bytes)?;
            self.waiting.push(Waiting::Direct(bytes, path.to_owned()));
            return Ok(());
        }
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let twice = self.waiting.iter().any(|w| matches!(w, Waiting::Beside(_, t) if *t == target));
        if twice {
            return Err(fail(io::Error::new(io::ErrorKind::AlreadyExists, "it is named for two outputs")));
        }
        let folder = folder_of(&target);
        litter::clear(folder);
        let prefix = litter::prefix();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // The message of the system names the temporary file, which nobody asked for: only its kind is kept.
        let mut beside = builder.tempfile_in(folder).map_err(|e| fail(io::Error::from(e.kind())))?;
        let mut buffered = BufWriter::with_capacity(1 << 18, beside.as_file_mut());
        write(&mut buffered).map_err(|e| named(e, path))?;
        buffered.flush().map_err(fail)?;
        drop(buffered);
        beside.as_file().sync_all().map_err(fail)?;
        if let Ok(old) = fs::metadata(&target) {
            if old.permissions().readonly() {
                return Err(fail(io::Error::from(io::ErrorKind::PermissionDenied)));
            }
            // Keeping the old permissions is a courtesy; a file system without them is no reason to fail.
            let _ = beside.as_file().set_permissions(old.permissions());
        }
        self.waiting.push(Waiting::Beside(beside, target));
        Ok(())
    }

    /// Puts every file in its place. If one cannot be, those before it are put back as they were.
    pub fn commit(self) -> Result<(), Error> {
        for waiting in &self.waiting {
            if let Waiting::Direct(bytes, path) = waiting {
                let written = OpenOptions::new().write(true).open(path).and_then(|mut f| {
                    f.write_all(bytes)?;
                    f.flush()
                });
                written.map_err(|e| failed(path, e))?;
            }
        }
        // Dropped after what is done is settled or undone.
        let _turn = self.turn();
        let mut done = Done::default();
        for waiting in self.waiting {
            if let Waiting::Beside(file, target) = waiting {
                done.place(file, &target).map_err(|e| failed(&target, e))?;
            }
        }
        done.settle();
        Ok(())
    }
}

impl Outbox {
    /// The locks of the folders of all files, held while the files are put in place. It is the folder that is locked, so nothing is left
    /// lying about, and the system takes the lock from a process that dies.
    fn turn(&self) -> Vec<fs::File> {
        let folder = |w: &Waiting| match w {
            Waiting::Beside(_, target) => fs::canonicalize(folder_of(target)).ok(),
            Waiting::Direct(..) => None,
        };
        let several = self.waiting.len() > 1;
        // All in one order, or two runs could wait for each other.
        let folders: BTreeSet<PathBuf> = self.waiting.iter().filter(|_| several).filter_map(folder).collect();
        folders.iter().filter_map(|folder| locked(folder)).collect()
    }
}

/// The lock of a folder; none where the file system has no such thing, or somebody does not give it back: then files appear one by one,
/// as they would without.
fn locked(folder: &Path) -> Option<fs::File> {
    let file = fs::File::open(folder).ok()?;
    let until = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Some(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            Err(_) => return None,
        }
    }
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How long a run waits for others to put their files in place, which takes them a moment.
const PATIENCE: Duration = Duration::from_secs(20);

/// Files already in place, and how to undo it: dropped unsettled, old files come back and new ones go.
#[derive(Default)]
struct Done {
    placed: Vec<(PathBuf, Option<tempfile::TempPath>)>,
}

impl Done {
    fn place(&mut self, file: NamedTempFile, target: &Path) -> io::Result<()> {
        let folder = folder_of(target);
        let old = if target.exists() {
            // A second name for the old file, under which it outlives the rename.
            let spare = tempfile::Builder::new().prefix(&litter::prefix()).tempfile_in(folder)?.into_temp_path();
            fs::remove_file(&spare)?;
            fs::hard_link(target, &spare).or_else(|_| fs::copy(target, &spare).map(|_| ()))?;
            Some(spare)
        } else {
            None
        };
        file.persist(target).map_err(|e| e.error)?;
        self.placed.push((target.to_owned(), old));
        Ok(())
    }
    fn settle(mut self) {
        self.placed.clear();
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        for (target, old) in self.placed.drain(..).rev() {
            // There is nobody left to tell: the first failure is already on its way to the caller.
            let _ = match old {
                Some(old) => old.persist(&target).map_err(|e| e.error),
                None => fs::remove_file(&target),
            };
        }
    }
}

fn failed(path: &Path, e: io::Error) -> Error {
    Error::File { action: "write", path: path.to_owned(), source: e }
}

/// The same error, with the file it happened to.
fn named(e: Error, path: &Path) -> Error {
    match e {
        Error::File { action: "write", source, .. } => failed(path, source),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
    fn text(words: &'static str) -> impl FnOnce(&mut dyn Write) -> Result<(), Error> {
        move |w| w.write_all(words.as_bytes()).map_err(|e| failed(Path::new("?"), e))
    }

    #[test]
    fn all_files_appear_at_once_and_replace_old_ones() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&a, "old").unwrap();
        let mut out = Outbox::new();
        out.file(&a, text("new")).unwrap();
        out.file(&b, text("two")).unwrap();
        assert_eq!(fs::read_to_string(&a).unwrap(), "old");
        out.commit().unwrap();
        assert_eq!(
            (fs::read_to_string(&a).unwrap().as_str(), fs::read_to_string(&b).unwrap().as_str()),
            ("new", "two")
        );
        assert_eq!(names(dir.path()), ["a", "b"]);
    }

    /// Runs at the same time that write the same files: those that lie there at the end are all of one of them.
    #[cfg(unix)]
    #[test]
    fn files_of_several_runs_are_not_mixed() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let paths: Vec<PathBuf> =
            ["a", "b", "c"].iter().map(|n| dir.path().join(n)).chain([other.path().join("d")]).collect();
        for round in 0..100 {
            let ready = std::sync::Barrier::new(4);
            std::thread::scope(|scope| {
                for run in 0..4 {
                    let (paths, ready) = (&paths, &ready);
                    scope.spawn(move || {
                        let mut out = Outbox::new();
                        // Not all name them in the same order.
                        for k in 0..paths.len() {
                            let path = &paths[(k + run) % paths.len()];
                            out.file(path, |w| w.write_all(&[run as u8]).map_err(|e| failed(path, e))).unwrap();
                        }
                        ready.wait();
                        out.commit().unwrap();
                    });
                }
            });
            let found: Vec<Vec<u8>> = paths.iter().map(|p| fs::read(p).unwrap()).collect();
            assert!(found.iter().all(|f| *f == found[0]), "round {round}: {found:?}");
        }
        assert_eq!(
            (names(dir.path()), names(other.path())),
            (vec!["a".into(), "b".into(), "c".into()], vec!["d".into()])
        );
    }

    #[test]
    fn a_full_disk_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        fs::write(&a, "old").unwrap();
        let mut out = Outbox::new();
        out.file(&a, text("new")).unwrap();
        let full = |w: &mut dyn Write| {
            w.write_all(b"half").unwrap();
            Err(failed(Path::new("?"), io::Error::from(io::ErrorKind::StorageFull)))
        };
        let e = out.file(&b, full).unwrap_err().to_string();
        assert!(e.contains("cannot write") && e.contains("/b:"), "{e}");
        drop(out);
        assert_eq!(names(dir.path()), ["a"]);
        assert_eq!(fs::read_to_string(&a).unwrap(), "old");
    }

    #[test]
    fn a_rename_that_fails_puts_the_others_back() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b, c) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("c"));
        fs::write(&a, "old").unwrap();
        let mut out = Outbox::new();
        out.file(&a, text("new")).unwrap();
        out.file(&b, text("new")).unwrap();
        out.file(&c, text("new")).unwrap();
        fs::create_dir(&c).unwrap();
        fs::write(c.join("inside"), "").unwrap();
        assert!(out.commit().is_err());
        assert_eq!(names(dir.path()), ["a", "c"]);
        assert_eq!(fs::read_to_string(&a).unwrap(), "old");
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let e = Outbox::new().file("/no/such/folder/map.csv", text("x")).unwrap_err().to_string();
        assert!(e.contains("/no/such/folder/map.csv") && !e.contains(".nearer-"), "{e}");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_directly_and_links_stay_links() {
        let mut out = Outbox::new();
        out.file("/dev/null", text("x")).unwrap();
        out.commit().unwrap();
        if Path::new("/dev/full").exists() {
            let mut out = Outbox::new();
            out.file("/dev/full", text("x")).unwrap();
            assert!(out.commit().unwrap_err().to_string().contains("/dev/full"));
        }
        let dir = tempfile::tempdir().unwrap();
        let (a, link) = (dir.path().join("a"), dir.path().join("link"));
        fs::write(&a, "old").unwrap();
        std::os::unix::fs::symlink(&a, &link).unwrap();
        let mut out = Outbox::new();
        out.file(&link, text("new")).unwrap();
        out.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&a).unwrap(), "new");
    }
}

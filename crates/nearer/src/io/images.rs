//! Pictures of objects, one file each, named by their labels.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::object::Objects;

/// The endings of pictures, and what a browser calls them.
const KINDS: [(&str, &str); 6] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];
/// All pictures together: a page that is larger opens slowly and cannot be mailed.
pub const MOST_IMAGE_BYTES: u64 = 40_000_000;

/// The pictures in a folder whose names are labels, as `data:` addresses for a page, one or none for each object; and
/// what was found. `lemon.png` belongs to the object `lemon`; other files are left alone, and so is a link that leads out of
/// the folder: a page is for others to see, and may hold only what was put there for it.
///
/// # Fails
/// When the folder cannot be read, holds no picture of an object, or its pictures come to more than
/// [`MOST_IMAGE_BYTES`].
pub fn read_images(folder: &Path, objects: &Objects) -> Result<(Vec<Option<String>>, Vec<String>), Error> {
    let failed = |source| Error::File { action: "read", path: folder.to_owned(), source };
    let index = objects.index();
    let mut found: HashMap<usize, (String, std::path::PathBuf, &str)> = HashMap::new();
    let home = fs::canonicalize(folder).map_err(failed)?;
    let mut outside = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let (Some((_, kind)), Some(label)) =
            (KINDS.iter().find(|(e, _)| *e == ending), path.file_stem().and_then(|s| s.to_str()))
        else {
            continue;
        };
        let Some(item) = index.get(label).filter(|_| path.is_file()) else { continue };
        if !fs::canonicalize(&path).is_ok_and(|p| p.starts_with(&home)) {
            outside += 1;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Of two pictures the first by name counts, whatever order the system lists them in.
        if found.get(&item.index()).is_none_or(|(other, ..)| name < *other) {
            found.insert(item.index(), (name, path, kind));
        }
    }
    if found.is_empty() {
        return Err(Error::Evidence {
            what: format!("{} holds no picture of an object", folder.display()),
            remedy: format!(
                "name the files by the labels, such as `{}.png` (or .jpg .jpeg .gif .svg .webp)",
                objects.labels().first().map_or("label", String::as_str)
            )
            .into(),
        });
    }
    let size: u64 = found.values().filter_map(|(_, path, _)| fs::metadata(path).ok()).map(|m| m.len()).sum();
    if size > MOST_IMAGE_BYTES {
        return Err(Error::Evidence {
            what: format!(
                "the pictures in {} come to {}, and a page may hold {}",
                folder.display(),
                crate::error::bytes(size),
                crate::error::bytes(MOST_IMAGE_BYTES)
            ),
            remedy: "make them smaller: a page shows them about 140 pixels high".into(),
        });
    }
    let mut images = vec![None; objects.len()];
    for (k, (_, path, kind)) in &found {
        let bytes = fs::read(path).map_err(|source| Error::File { action: "read", path: path.clone(), source })?;
        images[*k] = Some(format!("data:{kind};base64,{}", STANDARD.encode(bytes)));
    }
    let mut said = vec![format!("{} of {} objects have a picture", found.len(), objects.len())];
    if outside > 0 {
        said.push(format!("links that lead out of the folder were not followed ({outside})"));
    }
    Ok((images, said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_joined_by_label() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a.svg", "a.png", "c.JPG", "stranger.png", "b.txt"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let objects = Objects::new(["a", "b", "c"]).unwrap();
        let (images, said) = read_images(dir.path(), &objects).unwrap();
        assert_eq!(images[0].as_deref(), Some("data:image/png;base64,YS5wbmc="));
        assert!(images[1].is_none() && images[2].as_deref().unwrap().starts_with("data:image/jpeg;"));
        assert_eq!(said, ["2 of 3 objects have a picture"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_folder_only() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, secret) = (dir.path().join("pictures"), dir.path().join("secret"));
        fs::create_dir(&folder).unwrap();
        fs::write(&secret, "s").unwrap();
        fs::write(folder.join("a.png"), "a").unwrap();
        std::os::unix::fs::symlink("a.png", folder.join("b.png")).unwrap();
        std::os::unix::fs::symlink(&secret, folder.join("c.png")).unwrap();
        let (images, said) = read_images(&folder, &Objects::new(["a", "b", "c"]).unwrap()).unwrap();
        assert_eq!(images[0], images[1]);
        assert_eq!(images[2], None);
        assert!(said[1].contains("not followed (1)"), "{said:?}");
    }

    #[test]
    fn a_folder_without_them_and_one_too_large_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let objects = Objects::new(["a"]).unwrap();
        assert!(read_images(dir.path(), &objects).unwrap_err().to_string().contains("`a.png`"));
        let huge = fs::File::create(dir.path().join("a.png")).unwrap();
        huge.set_len(MOST_IMAGE_BYTES + 1).unwrap();
        assert!(read_images(dir.path(), &objects).unwrap_err().to_string().contains("smaller"));
        assert!(read_images(&dir.path().join("nowhere"), &objects).is_err());
    }
}

//! Where results go: several files at once or not at all, and stdout.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use nearer::io::{Format, Outbox, write_map};
use nearer::{Embedding, Error};

use crate::context::{self, Context, harmless};
use crate::files::folder_of;
use crate::system;

/// What a file is for; its extension says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Map(Format),
    /// The weights of landmarks, kernel by kernel.
    Weights,
    /// The same as a picture.
    WeightsFigure(Picture),
    /// Where each object may lie.
    Ellipses,
    /// Who answered, and how well.
    People,
    /// Several maps of the same objects, with shares.
    Maps,
    Model,
    Figure(Picture),
    Report,
    Page,
    Certificate,
}

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Picture {
    Svg,
    Png,
    Pdf,
}

/// A file to be written.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    pub(crate) path: PathBuf,
    pub(crate) role: Role,
}

impl Output {
    /// A file, by its extension; refused before any work when the extension says nothing or the place cannot be
    /// written to.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let role = role(path)?;
        writable(path)?;
        Ok(Output { path: path.to_owned(), role })
    }
}

/// All outputs of a command.
pub(crate) fn plan(paths: &[PathBuf]) -> Result<Vec<Output>> {
    paths.iter().map(|p| Output::new(p)).collect()
}

/// A figure, by its extension.
pub(crate) fn picture(path: &Path) -> Result<Output> {
    let output = Output::new(path)?;
    match output.role {
        Role::Figure(_) => Ok(output),
        _ => bail!("{} is not a figure; name it .svg, .png or .pdf", path.display()),
    }
}

fn role(path: &Path) -> Result<Role> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match name.rsplit_once(".weights.").map(|(_, kind)| kind) {
        Some("csv") => return Ok(Role::Weights),
        Some("svg") => return Ok(Role::WeightsFigure(Picture::Svg)),
        Some("png") => return Ok(Role::WeightsFigure(Picture::Png)),
        Some("pdf") => return Ok(Role::WeightsFigure(Picture::Pdf)),
        _ => {}
    }
    let tables = [(".ellipses.csv", Role::Ellipses), (".people.csv", Role::People), (".maps.csv", Role::Maps)];
    if let Some((_, role)) = tables.into_iter().find(|(end, _)| name.ends_with(end)) {
        return Ok(role);
    }
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match extension.as_str() {
        "csv" => Role::Map(Format::Csv),
        "tsv" | "txt" => Role::Map(Format::Tsv),
        "npy" => Role::Map(Format::Npy),
        "nearer" => Role::Model,
        "svg" => Role::Figure(Picture::Svg),
        "png" => Role::Figure(Picture::Png),
        "pdf" => Role::Figure(Picture::Pdf),
        "json" => Role::Report,
        "html" | "htm" => Role::Page,
        "cert" => Role::Certificate,
        _ => bail!(
            "{}: the extension does not say what to write; use .csv, .tsv or .npy for the map, .nearer for the model, .svg, .png or .pdf for a figure, .html for the page, .json for the report, .cert for the certificate",
            path.display()
        ),
    })
}

/// Refuses a place that cannot be written to, before any work is done for it.
pub(crate) fn writable(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        bail!("cannot write {}: there is no folder {}; make it first", path.display(), folder.display());
    }
    if path.exists() && !path.is_file() {
        bail!("cannot write {}: it is there already and is not a plain file; choose another name", path.display());
    }
    tempfile::tempfile_in(folder)
        .map(drop)
        .map_err(|e| anyhow!("cannot write {}: {e}; choose a folder that can be written to", path.display()))
}

/// Data for stdout, written whole and flushed.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if system::stdout_was_closed() {
        bail!("cannot write to stdout: it is closed; open it, or write to a file");
    }
    let mut pipe = Pipe { inner: io::stdout().lock(), broken: false };
    let mut out = BufWriter::new(&mut pipe);
    let written = write(&mut out).and_then(|()| Ok(out.flush()?));
    drop(out);
    match written {
        Err(_) if pipe.broken => Err(NobodyReads.into()),
        Err(e) => Err(anyhow!("cannot write to stdout: {e}")),
        Ok(()) => Ok(()),
    }
}

/// A stdout that was closed at its other end: no failure. A file that cannot be written for the same reason is one.
#[derive(Debug)]
struct NobodyReads;

impl std::fmt::Display for NobodyReads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody reads stdout to its end")
    }
}
impl std::error::Error for NobodyReads {}

/// Remembers that nobody reads on, which a writer in between may wrap beyond recognition.
struct Pipe<W> {
    inner: W,
    broken: bool,
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes).inspect_err(|e| self.broken |= e.kind() == io::ErrorKind::BrokenPipe)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().inspect_err(|e| self.broken |= e.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// What goes to stdout, then the files into their places: a stdout that fails leaves no file behind, one that nobody
/// reads to the end does not cost the files.
pub(crate) fn stdout_then_files(
    outbox: Outbox,
    outputs: &[Output],
    context: &Context,
    stdout: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let said = stdout();
    if let Err(e) = &said
        && !is_broken_pipe(e)
    {
        return said;
    }
    outbox.commit()?;
    context.notes(outputs.iter().map(|o| format!("wrote {}", o.path.display())));
    said
}

/// Words on stdout, where a person may read them in a terminal.
pub(crate) fn words_to_stdout(text: &str) -> Result<()> {
    to_stdout(|w| Ok(w.write_all(harmless(text).as_bytes())?))
}

/// A word, once, about labels that a spreadsheet would take for formulas when it opens the map, or a terminal for commands when it
/// shows it. They are written as they are: a label that came back changed would be another object.
pub(crate) fn note_labels(outputs: &[Output], map: &Embedding, context: &Context) {
    let on_stdout = outputs.is_empty() && !context.json;
    let tables = on_stdout || outputs.iter().any(|o| matches!(o.role, Role::Map(Format::Csv | Format::Tsv)));
    if !tables {
        return;
    }
    let formula = |l: &str| l.starts_with(['=', '+', '-', '@']) && l.parse::<f64>().is_err() && l.len() > 1;
    let control = |l: &str| l.contains(char::is_control);
    for (such, begin, so) in [
        (&formula as &dyn Fn(&str) -> bool, "begins like a formula", "a spreadsheet that opens the map may compute it"),
        (&control, "holds control characters", "a terminal that shows the map may obey them"),
    ] {
        let labels: Vec<&String> = map.objects().labels().iter().filter(|l| such(l)).collect();
        if let Some(first) = labels.first() {
            let more = match labels.len() - 1 {
                0 => String::new(),
                more => format!(", and so do {more} more"),
            };
            context.note(&format!("note: the label `{}` {begin}{more}; {so}", harmless(first)));
        }
    }
}

/// A map into a file of the outbox.
pub(crate) fn put_map(outbox: &mut Outbox, output: &Output, map: &Embedding, format: Format) -> Result<()> {
    let path = output.path.clone();
    Ok(outbox.file(&output.path, |w| {
        write_map(w, map, format).map_err(|source| Error::File { action: "write", path, source })
    })?)
}

/// Bytes into a file of the outbox.
pub(crate) fn put(outbox: &mut Outbox, output: &Output, bytes: &[u8]) -> Result<()> {
    let path = output.path.clone();
    Ok(outbox
        .file(&output.path, |w| w.write_all(bytes).map_err(|source| Error::File { action: "write", path, source }))?)
}

/// A value as JSON on stdout.
pub(crate) fn json_to_stdout(value: &impl serde::Serialize) -> Result<()> {
    to_stdout(|w| write_json(w, value))
}

/// A failure as `--json` tells it: `{"error": {kind, message, remedy, file, line, column}}`, as far as they are known.
pub(crate) fn error_to_stdout(error: &anyhow::Error) {
    let of_library = error.downcast_ref::<Error>();
    let at = of_library.and_then(Error::at);
    let told = serde_json::json!({
        "kind": of_library.map_or("usage", Error::kind),
        "message": context::sentence(error),
        "remedy": of_library.and_then(Error::remedy).map(context::remedy),
        "file": at.and_then(|a| a.file.as_ref()),
        "line": at.and_then(|a| a.line),
        "column": at.and_then(|a| a.column),
    });
    let known: serde_json::Map<_, _> =
        told.as_object().cloned().unwrap_or_default().into_iter().filter(|(_, v)| !v.is_null()).collect();
    // The failure has its exit code and its sentence; a stdout that is gone adds nothing to it.
    let _ = json_to_stdout(&serde_json::json!({ "error": known }));
}

/// A value as JSON, one line after another, with an end of line.
pub(crate) fn write_json(w: &mut dyn Write, value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    Ok(writeln!(w, "{text}")?)
}

/// Whether nobody reads stdout on: not worth a word.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|e| e.is::<NobodyReads>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file whose writing ended in a broken pipe is a failure: a run without its outputs may not end as a good one.
    #[test]
    fn only_a_broken_stdout_is_a_quiet_end() {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        let file = Error::File { action: "write", path: "m.csv".into(), source: broken() };
        assert!(!is_broken_pipe(&file.into()) && !is_broken_pipe(&broken().into()));
        assert!(is_broken_pipe(&anyhow::Error::from(NobodyReads).context("the map")));
    }

    #[test]
    fn an_extension_says_what_is_written() {
        assert_eq!(role(Path::new("a/map.CSV")).unwrap(), Role::Map(Format::Csv));
        assert_eq!(role(Path::new("map.nearer")).unwrap(), Role::Model);
        assert_eq!(role(Path::new("proof.cert")).unwrap(), Role::Certificate);
        assert!(role(Path::new("map.docx")).unwrap_err().to_string().contains("map.docx"));
        assert!(role(Path::new("map")).is_err());
    }
}

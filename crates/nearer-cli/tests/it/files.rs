//! Files are not lost: no input is written over, no output is mixed up, and a report names what was read.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use sha2::{Digest as _, Sha256};

use crate::{Desk, square, stderr};

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// A desk with a file for every way in which a file can be given.
fn laid() -> Desk {
    let desk = Desk::new();
    desk.write("d.csv", square(6, 1));
    desk.write("meta.csv", "label,kind\np0,x\n");
    desk.write("names.csv", "label\np0\np1\np2\n");
    desk.write("t.csv", "head,near,far\np0,p1,p2\np1,p2,p0\np0,p1,p2\n");
    desk.write("f.csv", "id,length,width\np0,1,2\np1,2,1\np2,3,4\n");
    desk.write("map.tsv", "label\tx1\tx2\np0\t0\t1\np1\t1\t0\np2\t3\t1\np3\t1\t2\np4\t2\t2\np5\t2\t3\n");
    desk.run(&["embed", "d.csv", "-q", "-o", "m.nearer"]).success();
    fs::create_dir(desk.path("pictures")).unwrap();
    fs::write(desk.path("pictures/p0.png"), "p").unwrap();
    fs::create_dir(desk.path("sub")).unwrap();
    desk
}

#[test]
fn no_output_is_an_input_by_whatever_path() {
    let desk = laid();
    #[cfg(unix)]
    std::os::unix::fs::symlink("meta.csv", desk.path("link.csv")).unwrap();
    let kept: Vec<(String, Vec<u8>)> = ["d.csv", "meta.csv", "names.csv", "t.csv", "f.csv", "map.tsv", "m.nearer"]
        .iter()
        .map(|n| (n.to_string(), fs::read(desk.path(n)).unwrap()))
        .collect();
    for (line, words) in [
        ("embed d.csv -o d.csv", ["-o d.csv", "the input d.csv"]),
        ("embed d.csv -o ./sub/../d.csv", ["-o ./sub/../d.csv", "the input d.csv"]),
        ("embed d.csv --metadata meta.csv -o meta.csv", ["-o meta.csv", "--metadata meta.csv"]),
        ("embed d.csv --metadata meta.csv -o link.csv", ["-o link.csv", "--metadata meta.csv"]),
        ("embed t.csv --objects names.csv -o names.csv", ["-o names.csv", "--objects names.csv"]),
        ("embed t.csv --kernel rbf:f.csv -o f.csv", ["-o f.csv", "--kernel f.csv"]),
        ("embed t.csv --kernel a=rbf:f.csv#2 -o f.csv", ["-o f.csv", "--kernel f.csv"]),
        ("embed t.csv f.csv -o f.csv", ["-o f.csv", "the input f.csv"]),
        ("embed d.csv --images pictures -o pictures/p0.png", ["-o pictures/p0.png", "--images pictures"]),
        ("place m.nearer d.csv --metadata meta.csv -o meta.csv", ["-o meta.csv", "--metadata meta.csv"]),
        ("place m.nearer d.csv -o d.csv", ["-o d.csv", "the input d.csv"]),
        ("eval map.tsv d.csv --per-object d.csv", ["--per-object d.csv", "the input d.csv"]),
        ("eval map.tsv d.csv --other m.nearer --shepard ./d.csv", ["--shepard ./d.csv", "the input d.csv"]),
        ("clean t.csv -o t.csv", ["-o t.csv", "the input t.csv"]),
        (
            "clean t.csv -o x.csv --objects names.csv --dropped names.csv",
            ["--dropped names.csv", "--objects names.csv"],
        ),
    ] {
        if cfg!(not(unix)) && line.contains("link") {
            continue;
        }
        let said = stderr(&desk.run(&line.split(' ').collect::<Vec<_>>()).code(2));
        assert!(words.iter().all(|w| said.contains(w)) && said.lines().count() == 1, "{line}: {said}");
    }
    for (name, bytes) in kept {
        assert_eq!(fs::read(desk.path(&name)).unwrap(), bytes, "{name} was changed");
    }
}

#[test]
fn no_two_outputs_are_one_file() {
    let desk = laid();
    let before = desk.names();
    for line in [
        "clean t.csv -o z.csv --dropped ./z.csv",
        "embed d.csv -o z.csv -o sub/../z.csv",
        "eval map.tsv d.csv --shepard z.csv --per-object ./z.csv",
    ] {
        let said = stderr(&desk.run(&line.split(' ').collect::<Vec<_>>()).code(2));
        assert!(said.contains("are one file"), "{line}: {said}");
    }
    // The file that `clean` names by itself is an output too.
    desk.write("x.dropped.csv", desk.read("t.csv"));
    let said = stderr(&desk.run(&["clean", "x.dropped.csv", "-o", "x.csv"]).code(2));
    assert!(said.contains("over the input x.dropped.csv"), "{said}");
    fs::remove_file(desk.path("x.dropped.csv")).unwrap();
    assert_eq!(desk.names(), before);
}

#[test]
fn what_came_through_a_pipe_is_named_by_its_bytes() {
    let desk = Desk::new();
    let text = square(8, 3);
    let out =
        desk.command(&["embed", "-", "-q", "--json", "-o", "page.html"]).write_stdin(text.clone()).assert().success();
    let told: serde_json::Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    assert_eq!(told["inputs"][0]["sha256"], digest(text.as_bytes()).as_str());
    assert_eq!(told["inputs"][0]["bytes"], text.len());
    assert!(desk.read("page.html").contains(&digest(text.as_bytes())));
}

/// A fifo gives its bytes once; whatever the layout, nobody may wait for more.
#[cfg(unix)]
#[test]
fn a_fifo_is_read_once_for_every_layout() {
    let desk = Desk::new();
    let tree = "((dog,wolf),(cat,lion),trout);";
    for (name, text, extra) in [
        ("square", square(8, 3), vec![]),
        ("rows", "label,a,b\na,0,3.5\nb,3.5,0\nc,4.7,3.2\nd,1,2.9\n".into(), vec!["-m", "landmark-mds", "--dim", "1"]),
        ("features", "id,length,width\na,1,2\nb,2,1\nc,3,4\nd,1,1\n".into(), vec!["-m", "mvu", "--neighbours", "2"]),
        ("phylip", "3\nalpha 0 1 2\nbeta 1 0 2\ngamma 2 2 0\n".into(), vec!["--dim", "1"]),
        ("lower", "a\nb,1\nc,2,3\nd,2,2,2\n".into(), vec![]),
        ("long", "from,to,value\na,b,1\na,c,2\nb,c,2\nc,d,1\na,d,2\n".into(), vec![]),
        ("triplets", "head,near,far\na,b,c\nb,a,c\nc,b,a\n".into(), vec![]),
        ("newick", tree.into(), vec!["--format", "newick"]),
    ] {
        let path = desk.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let writer = std::thread::spawn({
            let (path, text) = (path.clone(), text.clone());
            move || fs::write(path, text)
        });
        let args: Vec<&str> = ["embed", name, "-q", "--json"].into_iter().chain(extra).collect();
        let run = desk.command(&args).timeout(Duration::from_secs(60)).assert().success();
        let told: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        assert_eq!(told["inputs"][0]["sha256"], digest(text.as_bytes()).as_str(), "{name}");
        writer.join().unwrap().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stdout_that_is_closed_is_an_error() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1));
    let nearer = env!("CARGO_BIN_EXE_nearer");
    let shell = |line: &str| {
        let out = Command::new("sh").current_dir(desk.0.path()).args(["-c", line]).output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, said) = shell(&format!("{nearer} embed d.csv -q >&-"));
    assert_eq!(code, Some(2));
    assert!(said.contains("stdout") && said.contains("closed"), "{said}");
    assert_eq!(shell(&format!("{nearer} embed d.csv -q -o map.csv >&-")).0, Some(0), "nothing is written to it");
    assert_eq!(shell(&format!("{nearer} embed d.csv -q > /dev/null")).0, Some(0));
}

#[cfg(unix)]
#[test]
fn nohup_is_honoured() {
    use std::os::unix::process::CommandExt as _;
    let desk = Desk::new();
    desk.write("d.csv", square(400, 5));
    let run = |line: &str, limit: &str| {
        let nearer = env!("CARGO_BIN_EXE_nearer");
        let fit = format!("embed d.csv -m metric-mds --starts 1000 --time-limit {limit} -q -o map.csv");
        let mut shell = Command::new("sh");
        shell.current_dir(desk.0.path()).args(["-c", &format!("{line} exec {nearer} {fit}")]).stderr(Stdio::piped());
        // Under nohup the tests themselves ignore the signal, and a shell cannot undo what it inherits.
        // SAFETY: between fork and exec only a signal's disposition is set, which may be done there.
        unsafe {
            shell.pre_exec(|| {
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                Ok(())
            });
        }
        let mut child = shell.spawn().unwrap();
        std::thread::sleep(Duration::from_secs(3));
        assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
        child.wait().unwrap().code()
    };
    assert_eq!(run("trap '' HUP;", "6"), Some(0), "a signal that is ignored changes nothing");
    assert_eq!(run("", "60"), Some(130), "else the fit ends with the best so far");
}

#[test]
fn labels_command_neither_the_terminal_nor_a_spreadsheet_without_a_word() {
    let desk = Desk::new();
    let text = |a: &str| format!("label,{a},b,c\n{a},0,1,2\nb,1,0,1\nc,2,1,0\n");
    desk.write("d.csv", text("=cmd")).write("e.csv", text("x\u{1b}[2J"));
    let said = stderr(&desk.run(&["embed", "d.csv", "-o", "map.csv", "-o", "map.tsv"]).success());
    assert_eq!(said.matches("the label `=cmd` begins like a formula").count(), 1, "{said}");
    assert!(desk.read("map.csv").contains("\n=cmd,"), "a label stays what it is");
    let run = desk.run(&["check", "e.csv"]).success();
    let said = stderr(&run) + &crate::stdout(&run);
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let run = desk.run(&["embed", "e.csv", "-o", "map.csv", "--per-object", "x\u{1b}[2J.csv"]).code(2);
    assert!(!stderr(&run).contains('\u{1b}'));
}

#[test]
fn a_small_file_that_unpacks_to_a_large_one_is_refused() {
    use std::io::Write as _;
    let desk = Desk::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    for _ in 0..200 {
        gz.write_all("a,b,c\n".repeat(10_000).as_bytes()).unwrap();
    }
    desk.write("t.csv.gz", gz.finish().unwrap());
    let args = ["embed", "t.csv.gz", "--kind", "triplets", "--memory", "10MB", "-o", "map.csv"];
    let said = stderr(&desk.run(&args).code(2));
    assert!(said.contains("t.csv.gz") && said.contains("may be used") && said.contains("9.5 MiB"), "{said}");
}

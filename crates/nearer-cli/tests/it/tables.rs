//! From tables to maps: people and objects, several people, two sides that differ, and what goes wrong with tables.

use crate::{Desk, stderr, stdout};

const RANKS: &str = "person,toast,bun,roll,cake\nann,1,2,3,4\nbob,4,3,2,1\ncem,2,1,3,4\ndee,1,3,2,4\neli,3,4,1,2\n";

#[test]
fn people_and_objects_share_a_map_on_which_new_people_are_placed() {
    let desk = Desk::new();
    desk.write("ranks.csv", RANKS).write("new.csv", "person,toast,bun,roll,cake\nfay,1,2,4,3\n");
    for more in [&[][..], &["--conditional", "row"], &["--transform", "ordinal", "--conditional", "row"]] {
        let mut args = vec!["embed", "ranks.csv", "--kind", "rows", "-m", "unfolding", "--starts", "3"];
        args.extend(["-o", "u.csv", "-o", "u.nearer", "-o", "u.svg", "-o", "u.html"]);
        args.extend(more);
        let told = desk.json(&args);
        assert_eq!(told["figures"]["rows"], 5);
        assert!(told["figures"]["intermixed"].as_f64().unwrap() < 1.0);
        assert_eq!(desk.read("u.csv").lines().count(), 10);
        assert!(desk.read("u.html").contains("\"side\""), "rows and columns are told apart");
        let placed = stdout(&desk.run(&["place", "u.nearer", "new.csv", "--kind", "rows"]).success());
        assert!(placed.contains("fay,"), "{placed}");
    }
    let e = desk.json(&["eval", "u.csv", "ranks.csv", "--kind", "rows", "--reference", "0"]);
    assert!(e["stress1"].as_f64().unwrap() < 1.0);
}

#[test]
fn several_matrices_are_people_for_indscal_and_a_mean_for_others() {
    let desk = Desk::new();
    let square = |x: f64, y: f64| {
        let at = [[0.0, 0.0], [x, 0.0], [0.0, y], [x, y], [0.5 * x, 0.3 * y]];
        let row = |i: usize| {
            let cells = (0..5).map(|j| format!("{}", f64::hypot(at[i][0] - at[j][0], at[i][1] - at[j][1])));
            format!("o{i},{}\n", cells.collect::<Vec<_>>().join(","))
        };
        format!("label,o0,o1,o2,o3,o4\n{}", (0..5).map(row).collect::<String>())
    };
    desk.write("ann.csv", square(2.0, 1.0)).write("bob.csv", square(1.0, 2.0)).write("cem.csv", square(1.5, 1.5));
    let files = ["ann.csv", "bob.csv", "cem.csv"];
    let mut args = vec!["embed", "-m", "indscal", "--starts", "5", "-o", "i.people.csv", "-o", "i.html"];
    args.extend(files);
    let told = desk.json(&args);
    assert!(told["stress1"].as_f64().unwrap() < 1e-3, "{told}");
    let people = desk.read("i.people.csv");
    assert!(people.starts_with("person,axis 1,axis 2,stress1,scale\n") && people.lines().count() == 4, "{people}");
    assert!(desk.read("i.html").contains("id=\"people-weights\""));
    let mut args = vec!["embed", "-m", "metric-mds", "-o", "m.people.csv"];
    args.extend(files);
    let said = stderr(&desk.run(&args).code(2));
    assert!(said.contains("choose --method choice, or indscal"), "{said}");
}

#[test]
fn two_sides_that_differ_are_arrows() {
    let desk = Desk::new();
    desk.write("flow.csv", "from,a,b,c,d\na,0,3,5,4\nb,2,0,4,5\nc,4,5,0,3\nd,5,4,2,0\n");
    for (form, drifts) in [("drift", true), ("gower", false), ("slide", true)] {
        let args = ["embed", "flow.csv", "--kind", "rows", "-m", "asymmetric-mds", "--form", form];
        let told = desk.json(&[&args[..], &["-o", "f.svg", "-o", "f.nearer", "--figure-data", "f.csv"]].concat());
        assert!((0.0..=1.0).contains(&told["figures"]["flow"].as_f64().unwrap()), "{told}");
        assert_eq!(desk.read("f.csv").contains("\ndrift,a,"), drifts, "{form}");
    }
    let args = ["embed", "flow.csv", "--kind", "rows", "-m", "asymmetric-mds", "--form", "gower", "--dim", "3"];
    assert!(stderr(&desk.run(&args).code(2)).contains("an even number"));
    desk.write("wide.csv", "from,x,y\na,1,2\nb,2,1\nc,3,1\n");
    let said = stderr(&desk.run(&["embed", "wide.csv", "--kind", "rows", "-m", "asymmetric-mds"]).code(2));
    assert!(said.contains("3 rows and 2 columns") && said.contains("unfolding takes others"), "{said}");
}

#[test]
fn wrong_tables_are_answered_with_what_they_are_about() {
    let desk = Desk::new();
    desk.write("f.csv", "name,u,v,kind\na,1,2,k0\nb,2,3,k1\nc,3,1,k0\nd,2,2,k1\n").write("e.csv", "");
    desk.write("n.csv", "name,u,v\na,1,2\nb,NaN,3\nc,3,1\n");
    for args in [
        ["embed", "f.csv", "--method", "lda", "--classes", "nope"],
        ["cluster", "f.csv", "--classes", "nope", "--groups", "2"],
    ] {
        let said = stderr(&desk.run(&args).code(2));
        assert!(said.contains("there is no column `nope`") && said.contains("u, v, kind"), "{said}");
    }
    for args in [&["cluster", "e.csv", "--groups", "2"][..], &["align", "e.csv", "e.csv"], &["embed", "e.csv"]] {
        let said = stderr(&desk.run(args).code(2));
        assert!(said.contains("the file is empty") && !said.contains("distances in it"), "{said}");
    }
    let said = stderr(&desk.run(&["embed", "n.csv", "-m", "pca"]).code(2));
    assert!(said.contains("`NaN` is not a number") && !said.contains("missing distance"), "{said}");
}

#[test]
fn some_rows_of_the_metadata_are_taken() {
    let desk = Desk::new();
    desk.write(
        "d.csv",
        "label,a,b,c,d,e,f\na,0,1,2,5,6,7\nb,1,0,1,5,6,7\nc,2,1,0,5,6,6\nd,5,5,5,0,1,2\ne,6,6,6,1,0,1\nf,7,7,6,2,1,0\n",
    );
    desk.write("m.csv", "label,site,depth\na,pond,1\nb,pond,2\nc,lake,3\nd,lake,4\ne,lake,5\nf,sea,6\n");
    let args = ["groups", "d.csv", "--by", "site", "--permutations", "99", "--metadata"];
    let told = desk.json(&[&args[..], &["m.csv::where=site in pond,lake,where=depth<5"]].concat());
    let sizes: Vec<_> = told["groups"].as_array().unwrap().iter().map(|g| g["objects"].as_u64().unwrap()).collect();
    assert_eq!((sizes, told["without"].as_u64()), (vec![2, 2], Some(2)));
    let said = stderr(&desk.run(&[&args[..], &["m.csv::where=sites=pond"]].concat()).code(2));
    assert!(said.contains("no column `sites`") && said.contains("perhaps `site`"), "{said}");
    let said = stderr(&desk.run(&[&args[..], &["m.csv::kind=rows"]].concat()).code(2));
    assert!(said.contains("only `where`"), "{said}");
}

#[test]
fn rows_that_are_asked_for_may_come_last_in_ten_megabytes() {
    let desk = Desk::new();
    let note = "n".repeat(220);
    let early: String = (0..40_000).map(|k| format!("e{k},{k},2,3,1,{note}\n")).collect();
    let late: String = (0..6).map(|k| format!("o{k},{k},{},{},2,{note}\n", k * k % 5, k % 3)).collect();
    desk.write("t.csv", format!("label,u,v,w,batch,note\n{early}{late}"));
    desk.write("d.csv", "label,o0,o1,o2,o3\no0,0,1,2,3\no1,1,0,1,2\no2,2,1,0,1\no3,3,2,1,0\n");
    let measured = ["distances", "--measure", "euclidean", "--take", "u,v,w", "--where", "batch=2"];
    let table = stdout(&desk.run(&[&measured[..], &["t.csv"]].concat()).success());
    assert_eq!(table.lines().count(), 7, "{table}");
    let piped = desk.command(&[&measured[..], &["-"]].concat()).pipe_stdin(desk.path("t.csv")).unwrap().assert();
    assert_eq!(stdout(&piped.success()), table);
    desk.run(&["embed", "t.csv::where=batch=2", "-m", "pca", "-o", "m.csv"]).success();
    assert_eq!(desk.read("m.csv").lines().count(), 7);
    desk.write(
        "m.csv",
        format!("label,side,batch,note\n{}", early.replace(",2,3,1,", ",1,") + "o0,l,2,\no1,l,2,\no2,r,2,\no3,r,2,\n"),
    );
    let args = ["groups", "d.csv", "--by", "side", "--metadata", "m.csv::where=batch=2"];
    assert_eq!(desk.json(&args)["groups"].as_array().unwrap().len(), 2);
    for args in [&["check", "t.csv", "--where", "batch=3"][..], &["embed", "t.csv", "-m", "pca", "--where", "batch=3"]]
    {
        let said = stderr(&desk.run(args).code(2));
        assert!(said.contains("none of the 40006 rows has batch=3"), "{said}");
    }
}

#[test]
fn a_page_opens_with_the_layers_that_were_asked_for() {
    let desk = Desk::new();
    desk.write("m.csv", "label,x1,x2\na,0,0\nb,1,0\nc,0,1\nd,1,1\ne,2,2\n");
    desk.write("about.csv", "label,kind,depth\na,p,1\nb,p,2\nc,p,1\nd,q,2\ne,q,4\n");
    let args = ["report", "m.csv", "--metadata", "about.csv", "-o", "m.html"];
    let layers = ["--hulls", "kind", "--arrows", "all", "--contours", "--theme", "dark", "--axis-titles", "east,north"];
    desk.run(&[&args[..], &layers].concat()).success();
    let page = desk.read("m.html");
    for part in [
        "\"hulls\":true",
        "\"arrows\":[0]",
        "\"contours\":true",
        "\"theme\":\"dark\"",
        "\"titles\":[\"east\",\"north\"]",
        "\"permutations\":999",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let said = stderr(&desk.run(&[&args[..], &["--hulls", "sort"]].concat()).code(2));
    assert!(said.contains("sort") && said.contains("kind"), "{said}");
}

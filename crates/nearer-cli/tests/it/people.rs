//! Judged colours: who lapsed, how sure places are, what is held out, through the command.

use crate::{Desk, stderr, stdout};

/// Answers of the planted colours, without the rest of the demo.
fn colours(desk: &Desk) {
    let judged = nearer::toy::judged_colours(100, 3);
    let (trials, labels) = (judged.answers.trials().unwrap(), judged.answers.objects().labels());
    let row = |t: nearer::evidence::Trial<'_>| {
        let who = t.answered.participant.map_or("", |w| &trials.participants()[w as usize]);
        format!("{},{},{},{who}\n", labels[t.items[0].index()], labels[t.items[1].index()], labels[t.items[2].index()])
    };
    let rows: String = trials.iter().map(row).collect();
    desk.write("colours.csv", format!("head,near,far,participant\n{rows}"));
}

const QUICK: [&str; 6] = ["-m", "choice", "--link", "distance", "--precision", "0.02"];

#[test]
fn those_who_answer_at_random_are_dropped_with_the_reason() {
    let desk = Desk::new();
    colours(&desk);
    let run = desk
        .run(&["clean", "colours.csv", "--drop-lapsed", "--no-vote", "--repair", "none", "-o", "kept.csv"])
        .success();
    // Of the two who answer at random one is not told from somebody with a rule of their own, and stays.
    let said = stderr(&run);
    assert!(
        said.contains("1 of 20 participants left out") && said.contains("`p07` is kept, with too few answers"),
        "{said}"
    );
    let dropped = desk.read("kept.dropped.csv");
    assert_eq!(dropped.lines().count(), 101);
    for line in dropped.lines().skip(1) {
        assert!(line.contains(",p16,") && line.contains("careless"), "{line}");
    }
    assert_eq!(desk.read("kept.csv").lines().count(), 1901);
    desk.write("pairs.csv", "a,b,alike\nx,y,1\nx,z,0\ny,z,1\n");
    let run = desk.run(&["clean", "pairs.csv", "--drop-lapsed", "-o", "k.csv"]).code(2);
    assert!(stderr(&run).contains("--drop-lapsed are for comparisons"), "{}", stderr(&run));
}

#[test]
fn places_and_people_are_told_in_tables_json_and_page() {
    let desk = Desk::new();
    colours(&desk);
    let mut args = vec!["embed", "colours.csv", "--ellipses", "laplace", "-o", "c.ellipses.csv", "-o", "c.people.csv"];
    args.extend(["-o", "c.html", "-o", "c.nearer", "-o", "c.svg"]);
    args.extend(QUICK);
    let told = desk.json(&args);
    let expected = told["stability"]["expected_accuracy"].as_f64().unwrap();
    assert!((0.7..0.95).contains(&expected), "{expected}");
    assert_eq!(told["stability"]["kind"], "laplace");
    assert_eq!(told["stability"]["per_object"][0]["ellipse"]["half_axes"].as_array().unwrap().len(), 2);
    assert_eq!(desk.read("c.ellipses.csv").lines().count(), 32);
    let people = desk.read("c.people.csv");
    let lost: Vec<&str> = people.lines().filter(|l| l.ends_with("careless")).collect();
    assert!(lost.len() == 2 && lost[0].starts_with("p07,100,") && lost[1].starts_with("p16,100,"), "{people}");
    let page = desk.read("c.html");
    assert!(
        page.contains("id=\"people-lapses\"") && page.contains("careless") && page.contains("Laplace approximation")
    );
    assert!(desk.read("c.svg").contains("<path"));
    // From the model, later.
    desk.run(&["plot", "c.nearer", "--evidence", "colours.csv", "--ellipses", "laplace", "-o", "again.svg"]).success();
    let run = desk.run(&["embed", "colours.csv", "-m", "soe", "-o", "x.people.csv"]).code(2);
    assert!(stderr(&run).contains("choose --method choice"), "{}", stderr(&run));
    let run = desk.run(&["embed", "colours.csv", "-o", "x.ellipses.csv"]).code(2);
    assert!(stderr(&run).contains("--ellipses"), "{}", stderr(&run));
    let run = desk.run(&["embed", "colours.csv", "-m", "soe", "--ellipses", "laplace", "-o", "x.csv"]).code(2);
    assert!(stderr(&run).contains("choice, ste, t-ste or ckl"), "{}", stderr(&run));
}

#[test]
fn the_page_shows_what_is_held_out_in_each_dimension() {
    let desk = Desk::new();
    colours(&desk);
    let mut args = vec!["embed", "colours.csv", "-o", "c.nearer"];
    args.extend(QUICK);
    desk.run(&args).success();
    desk.run(&[
        "report",
        "c.nearer",
        "colours.csv",
        "--held-out",
        "rows",
        "--folds",
        "2",
        "--dimensions",
        "1,2",
        "-o",
        "p.html",
    ])
    .success();
    let page = desk.read("p.html");
    for id in ["heldout", "agreements", "likelihoods"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let e =
        desk.json(&["eval", "c.nearer", "colours.csv", "--held-out", "rows", "--folds", "2", "--dimensions", "1,2"]);
    let [one, two] = [0, 1].map(|k| e["by_dimension"][k]["log_likelihood"]["mean"].as_f64().unwrap());
    assert!(one < two && e["by_dimension"][1]["folds"].as_array().unwrap().len() == 2);
    let words = stdout(&desk.run(&["eval", "c.nearer", "colours.csv", "--held-out", "rows", "--folds", "2"]).success());
    assert!(words.contains("their mean log-likelihood is -0."), "{words}");
}

#[test]
fn settings_are_tuned_without_kernels() {
    let desk = Desk::new();
    colours(&desk);
    let told = desk.json(&[
        "embed",
        "colours.csv",
        "-m",
        "ste",
        "--starts",
        "1",
        "--tune",
        "rows",
        "--folds",
        "2",
        "-o",
        "c.csv",
    ]);
    let tried = told["tuning"]["tried"].as_array().unwrap();
    let best = &tried[told["tuning"]["taken"].as_u64().unwrap() as usize];
    assert_eq!((tried.len(), &told["settings"]["precision"]), (5, &best["settings"]["precision"]));
    assert!(tried.iter().all(|t| t["score"].as_f64() <= best["score"].as_f64()));
    let run = desk.run(&["embed", "colours.csv", "-m", "soe", "--tune", "rows", "-o", "c.csv"]).code(2);
    assert!(stderr(&run).contains("soe has nothing to tune"), "{}", stderr(&run));
}

/// One answer leaves a new colour anywhere, whatever the prior of the map says of all of them; many settle it.
#[test]
fn a_new_colour_is_undetermined_by_one_answer() {
    let desk = Desk::new();
    colours(&desk);
    let mut args = vec!["embed", "colours.csv", "-o", "c.nearer"];
    args.extend(QUICK);
    desk.run(&args).success();
    let others =
        ["grey", "vivid green", "vivid blue", "vivid cyan", "vivid lime", "soft blue", "soft green", "pale rose"];
    let rows: String =
        others.iter().flat_map(|far| [format!("known,vivid red,{far}\n"), format!("known,soft red,{far}\n")]).collect();
    desk.write("new.csv", format!("head,near,far\nmystery,grey,vivid red\n{rows}{rows}"));
    let told = desk.json(&["place", "c.nearer", "new.csv", "-o", "p.csv"]);
    let of = |label: &str| told["sureness"].as_array().unwrap().iter().find(|s| s["label"] == label).unwrap().clone();
    let (mystery, known) = (of("mystery"), of("known"));
    assert_eq!(
        (mystery["undetermined"].as_bool(), known["undetermined"].as_bool()),
        (Some(true), Some(false)),
        "{told}"
    );
    assert!(known["ellipse"]["half_axes"][0].as_f64().unwrap() > 0.0);
    let said = stderr(&desk.run(&["place", "c.nearer", "new.csv", "-o", "p.csv"]).success());
    assert!(said.contains("`mystery`: undetermined"), "{said}");
}

/// Distances of free sorts are shares of assessors: made again, other assessors are asked. Sixteen who all sort alike but one leave hardly a doubt,
/// sixteen of whom half sort otherwise a wide one; residuals would know nothing of it.
#[test]
fn ellipses_of_sorts_are_about_the_assessors() {
    let desk = Desk::new();
    let table = |others: usize| {
        let mut rows = format!("object{}\n", (0..16).map(|k| format!(",J{k}")).collect::<String>());
        for object in 0..9 {
            let group = |who: usize| if who < others { object % 3 } else { object / 3 };
            rows += &format!("o{object}{}\n", (0..16).map(|k| format!(",{}", group(k))).collect::<String>());
        }
        rows
    };
    let area = |others: usize, method: &str| {
        desk.write("sorts.csv", table(others));
        let args = ["embed", "sorts.csv", "--kind", "sorts", "-m", method, "--ellipses", "bootstrap", "-o", "m.csv"];
        let told = desk.json(&args);
        assert_eq!(told["stability"]["kind"], "sources", "{told}");
        let each = told["stability"]["per_object"].as_array().unwrap().iter();
        let one = |o: &serde_json::Value| {
            let axes = o["ellipse"]["half_axes"].as_array().unwrap();
            axes[0].as_f64().unwrap() * axes[1].as_f64().unwrap()
        };
        each.map(one).sum::<f64>()
    };
    for method in ["nmds", "metric-mds", "classical-mds"] {
        let (sure, split) = (area(1, method), area(8, method));
        assert!(split > 4.0 * sure, "{method}: {split} {sure}");
    }
}

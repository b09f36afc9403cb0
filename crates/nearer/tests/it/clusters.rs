//! Clustering with pairs: what is kept, what is paid, what is named.

use nearer::cluster::{Cluster, ClusterMethod, Clusters, MetricShape};
use nearer::evidence::{Classes, Judged};
use nearer::{Features, Item, Objects, Pairs, Run, toy};
use nearer_num::rng::Rng;

/// So many pairs of the classes of some objects, drawn by a seed.
fn pairs(classes: &Classes, count: usize, seed: u64) -> Pairs {
    let n = classes.objects().len();
    let mut rng = Rng::task(seed, 77);
    let mut rows = Vec::new();
    while rows.len() < count {
        let (a, b) = (rng.below(n), rng.below(n));
        if a != b {
            rows.push(Judged::new(Item(a as u32), Item(b as u32), classes.class(a) == classes.class(b)));
        }
    }
    Pairs::new(classes.objects().clone(), rows).unwrap().both_ways()
}

/// How many pairs of objects two groupings agree on, as a share.
fn rand_index(found: &Clusters, classes: &Classes) -> f64 {
    let (n, of) = (found.of().len(), found.of());
    let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let agree = all.clone().filter(|(i, j)| (of[*i] == of[*j]) == (classes.class(*i) == classes.class(*j))).count();
    agree as f64 / all.count() as f64
}

#[test]
fn pairs_lead_where_features_alone_mislead() {
    let (f, sorts) = toy::classed(120, 3, 6, 2);
    let classes = Classes::of(&sorts).unwrap();
    let said = pairs(&classes, 150, 1);
    let run = Run::seeded(1);
    let plain = Cluster::new(ClusterMethod::KMeans, 3).fit(&f, Some(&said), &run).unwrap();
    let cop = Cluster::new(ClusterMethod::CopKMeans, 3).fit(&f, Some(&said), &run).unwrap();
    assert_eq!((cop.report.must_links.1, cop.report.cannot_links.1), (0, 0));
    assert!(rand_index(&cop, &classes) > rand_index(&plain, &classes));
    for shape in [MetricShape::Diagonal, MetricShape::Diagonals, MetricShape::Single, MetricShape::Full] {
        let found = Cluster::new(ClusterMethod::MpckMeans, 3).shape(shape).fit(&f, Some(&said), &run).unwrap();
        // The whole objective falls from the second pass on.
        let passes = &found.report.objectives;
        assert!(
            passes.windows(2).skip(1).all(|w| w[1] <= w[0] * (1.0 + 1e-12) || w[1] <= w[0] + 1e-9),
            "{shape:?} {passes:?}"
        );
        let again = Cluster::new(ClusterMethod::MpckMeans, 3)
            .shape(shape)
            .fit(&f, Some(&said), &Run::seeded(1).threads(2))
            .unwrap();
        assert_eq!(again.of(), found.of());
        // Metrics of each group by themselves have too little to learn from here to be held to it.
        if matches!(shape, MetricShape::Diagonal | MetricShape::Single) {
            let (with, without) = (rand_index(&found, &classes), rand_index(&plain, &classes));
            assert!(with > without, "{shape:?} {with} {without}");
        }
        // New objects go where the nearest centre is; an old one that no pair holds is where it was.
        let back = Clusters::from_json(&found.to_json().unwrap()).unwrap().assign(&f).unwrap();
        let same = back.iter().zip(found.of()).filter(|(a, b)| a.0 == **b).count();
        assert!(same > 100, "{shape:?} {same}");
    }
    let diagonal = Cluster::new(ClusterMethod::MpckMeans, 3).fit(&f, Some(&said), &run).unwrap();
    assert!(rand_index(&diagonal, &classes) > 0.95, "{}", rand_index(&diagonal, &classes));
    // The two columns that the classes lie apart in weigh more than the six that they do not.
    let weights = diagonal.weights();
    assert!(weights[0][0].min(weights[0][1]) > weights[0][2..].iter().fold(0.0, |m: f64, v| m.max(*v)), "{weights:?}");
}

#[test]
fn what_cannot_be_is_named() {
    let f = Features::new(Objects::numbered(5), ["x"], ndarray::array![[0.0], [1.0], [2.0], [10.0], [11.0]]).unwrap();
    let row = |a, b, similar| Judged::new(Item(a), Item(b), similar);
    let of = |rows: Vec<Judged>| Pairs::new(f.objects().clone(), rows).unwrap().both_ways();
    let circle = of(vec![row(0, 1, true), row(1, 2, true), row(0, 2, false)]);
    let cop = Cluster::new(ClusterMethod::CopKMeans, 2);
    let e = cop.fit(&f, Some(&circle), &Run::default()).unwrap_err().to_string();
    assert!(e.contains("`1` – `2` – `3`"), "{e}");
    let found = Cluster::new(ClusterMethod::MpckMeans, 2).fit(&f, Some(&circle), &Run::default()).unwrap();
    assert!(found.report.warnings[0].contains("`1` – `2` – `3`"), "{:?}", found.report.warnings);
    // Three that must all be apart do not go into two groups.
    let apart = of(vec![row(0, 1, false), row(1, 2, false), row(0, 2, false)]);
    let e = cop.fit(&f, Some(&apart), &Run::default()).unwrap_err().to_string();
    assert!(e.contains("no grouping into 2"), "{e}");
    assert!(Cluster::new(ClusterMethod::CopKMeans, 3).fit(&f, Some(&apart), &Run::default()).is_ok());
    let e = Cluster::new(ClusterMethod::KMeans, 6).fit(&f, None, &Run::default()).unwrap_err().to_string();
    assert!(e.contains("1 to 5"), "{e}");
    assert!(Clusters::from_json(b"{}").is_err());
}

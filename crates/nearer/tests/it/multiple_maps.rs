//! Several maps at once: words of two meanings.

use nearer::evidence::Judged;
use nearer::method::MultipleMaps;
use nearer::{Embed, Item, Objects, Pairs, Run};

/// Three heaps of six words in each of two ways, and each word of the first way is also in a heap of the second: no one map
/// of a plane can put both ways side by side.
fn two_ways() -> Pairs {
    let mut rows = Vec::new();
    for a in 0..18u32 {
        for b in a + 1..18 {
            if a / 6 == b / 6 || a % 6 == b % 6 {
                rows.push(Judged::new(Item(a), Item(b), true));
            }
        }
    }
    Pairs::new(Objects::numbered(18), rows).unwrap().both_ways()
}

#[test]
fn two_maps_hold_what_one_cannot() {
    let pairs = two_ways();
    let with = |maps| MultipleMaps::new(2).maps(maps).fit(&pairs).unwrap();
    let (one, two) = (with(1), with(2));
    assert!(two.report.objective < 0.8 * one.report.objective, "{} {}", two.report.objective, one.report.objective);
    let maps = two.report.maps.unwrap();
    assert_eq!((maps.maps.len(), maps.shares.len(), maps.maps[0][0].len()), (2, 18, 2));
    for shares in &maps.shares {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares.iter().all(|s| *s >= 0.0));
    }
    // The fullest comes first, and is the map.
    assert!(maps.held_by(0) >= maps.held_by(1));
    assert_eq!(two.embedding.point(3).to_vec(), maps.maps[0][3]);
    assert!(two.report.warnings[0].contains("first of 2 maps"));
}

#[test]
fn threads_change_no_bit_and_silence_is_said() {
    let pairs = two_ways();
    let on = |threads| MultipleMaps::new(2).starts(3).fit_with(&pairs, &Run::seeded(4).threads(threads)).unwrap();
    assert_eq!(on(1).report.maps, on(2).report.maps);
    let apart = Pairs::new(Objects::numbered(4), vec![Judged::new(Item(0), Item(1), false)]).unwrap().both_ways();
    let e = MultipleMaps::new(2).fit(&apart).unwrap_err().to_string();
    assert!(e.contains("no pair is said to be alike"), "{e}");
    let alone = Pairs::new(Objects::numbered(4), vec![Judged::new(Item(0), Item(1), true)]).unwrap().both_ways();
    let fit = MultipleMaps::new(2).fit(&alone).unwrap();
    assert!(fit.report.warnings.iter().any(|w| w.contains("2 objects are like no other")), "{:?}", fit.report.warnings);
}

"""networkx on a file of triplets, in a process of its own.

    python judgements_peer.py check|reduce FILE      prints {"task": seconds, …}
"""
import csv
import json
import sys
import time

import networkx as nx


def graph(path):
    """Nodes are pairs of labels, edges lead from near to far; a comparison given again adds to the weight."""
    g = nx.DiGraph()
    with open(path, newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for head, near, far in rows:
            a = (head, near) if head < near else (near, head)
            b = (head, far) if head < far else (far, head)
            if g.has_edge(a, b):
                g[a][b]["weight"] += 1
            else:
                g.add_edge(a, b, weight=1)
    return g


def check(g):
    """Contradictions, the vote on them, and what is left in circles."""
    both = [(a, b) for a, b in g.edges if a < b and g.has_edge(b, a)]
    for a, b in both:
        for_, against = g[a][b]["weight"], g[b][a]["weight"]
        if for_ <= against:
            g.remove_edge(a, b)
        if against <= for_:
            g.remove_edge(b, a)
    knots = sum(1 for c in nx.strongly_connected_components(g) if len(c) > 1)
    return {"contradictions": len(both), "knots": knots}


def reduce(g):
    return {"left": nx.transitive_reduction(g).number_of_edges()}


if __name__ == "__main__":
    task, path = sys.argv[1:]
    g = graph(path)
    begin = time.perf_counter()
    found = {"check": check, "reduce": reduce}[task](g)
    print(json.dumps({"task": time.perf_counter() - begin, **found}))

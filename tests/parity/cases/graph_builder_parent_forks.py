"""The fork that a join waits for, found in graphs of all shapes."""

from _graphs import kind_of, show
from pydantic_graph.parent_forks import ParentFork, ParentForkFinder

SHAPES = {
    'fork': 'S>F F>a F>b a>J b>J J>E',
    'fork in a fork, one branch': 'S>F F>a F>G G>b G>c a>J b>J c>J J>E',
    'fork after a fork': 'S>F F>G G>b G>c b>J c>J J>K K>E',
    'loop to the inner fork': 'S>F F>G G>b G>c b>J c>J J>E J>G',
    'loop to the outer fork': 'S>F F>G G>b G>c b>J c>J J>E J>F',
    'loop past the forks': 'S>F F>b F>c b>J c>J J>b J>E',
    'loop of the join alone': 'S>F F>b b>J J>J J>E',
    'loop inside a branch': 'S>F F>b F>c b>b b>J c>J J>E',
    'way past the fork': 'S>F S>c F>b F>c b>J c>J J>E',
    'not reached': 'F>b F>c b>J c>J J>E',
    'straight': 'S>J J>E',
    'diamond of forks': 'S>F F>G F>a G>b G>c a>G b>J c>J J>E',
    'join after a join': 'S>F F>a F>b a>K b>K K>G G>c G>d c>J d>J J>E',
}


def find(shape, join, forks, starts='S', **options):
    edges = {}
    for edge in shape.split():
        source, target = edge.split('>')
        edges.setdefault(source, []).append(target)
    nodes = {*edges, *(target for targets in edges.values() for target in targets), *starts}
    finder = ParentForkFinder(nodes=nodes, start_ids={*starts}, fork_ids={*forks}, edges=edges)
    try:
        parent = finder.find_parent_fork(join, **options)
    except Exception as error:
        return kind_of(error)
    return parent and [parent.fork_id, sorted(parent.intermediate_nodes)]


for label, shape in SHAPES.items():
    for forks in ('FG', 'SFG'):
        show(label, forks, find(shape, 'J', forks), find(shape, 'J', forks, prefer_closest=True))
    for fork in 'SFGaz':
        show(label, 'given', fork, find(shape, 'J', 'FG', parent_fork_id=fork))
fork = SHAPES['fork']
for join in 'SFEa':
    show(
        join,
        find(fork, join, 'SF'),
        find(fork, join, 'SF', prefer_closest=True),
        find(fork, join, 'SF', parent_fork_id='F'),
    )
show('unknown', find(fork, 'X', 'SF'))
show('two starts', find('S>F T>F F>b F>c b>J c>J J>E', 'J', 'STF', starts='ST'))
show('two starts, one past the fork', find('S>F T>c F>b F>c b>J c>J J>E', 'J', 'STF', starts='ST'))
show(repr(ParentFork('f', {'a'})), ParentFork('f', {'a'}) == ParentFork('f', {'a'}))

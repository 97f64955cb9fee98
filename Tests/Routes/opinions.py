"""Has OR-Tools order stops, and prints the order of each problem: `3 0 2 1`. A file names them, one a line, as JSON: `from_start` and
`between` in seconds, and `windows` of [from, until], either of which may be null.
"""

import json
import sys

from ortools.constraint_solver import pywrapcp, routing_enums_pb2

# Whole numbers are what it takes: tenths of a second. Being late costs more than anything that is gained by it.
SCALE, LATE, FAR = 10, 100_000, 10_000_000
SECONDS = 3


def order(problem):
    count = len(problem["windows"])
    # The start, the stops, and an end that is everywhere.
    end = count + 1
    manager = pywrapcp.RoutingIndexManager(count + 2, 1, [0], [end])
    routing = pywrapcp.RoutingModel(manager)

    def seconds(one, other):
        one, other = manager.IndexToNode(one), manager.IndexToNode(other)
        if other == end or other == 0:
            return 0
        return round(SCALE * (problem["from_start"] if one == 0 else problem["between"][one - 1])[other - 1])

    routing.AddDimension(routing.RegisterTransitCallback(seconds), FAR, FAR, True, "time")
    time = routing.GetDimensionOrDie("time")
    time.SetSpanCostCoefficientForAllVehicles(1)
    for stop, (begin, until) in enumerate(problem["windows"], 1):
        index = manager.NodeToIndex(stop)
        if begin is not None:
            time.CumulVar(index).SetMin(round(SCALE * begin))
        if until is not None:
            time.SetCumulVarSoftUpperBound(index, round(SCALE * until), LATE)
    search = pywrapcp.DefaultRoutingSearchParameters()
    search.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION
    search.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    search.time_limit.seconds = SECONDS
    solution = routing.SolveWithParameters(search)
    stops, index = [], solution.Value(routing.NextVar(routing.Start(0)))
    while not routing.IsEnd(index):
        stops.append(manager.IndexToNode(index) - 1)
        index = solution.Value(routing.NextVar(index))
    return stops


with open(sys.argv[1]) as file:
    for line in file:
        print(*order(json.loads(line)))

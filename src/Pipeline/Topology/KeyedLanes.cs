using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Keyed lanes at work: a router, and a stage for each lane.</summary>
/// <remarks><b>Threads</b>: every member by any thread.</remarks>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = Pipeline.Of&lt;Order>(1024)
///     .Lanes("book", lanes: 4, static (in Order order) => order.Customer, (ref Order order) => accounts.Book(order))
///     .Run();
/// KeyedLanes lanes = pipeline.GetLanes("book");
/// Console.WriteLine($"lane {lanes.GetStatistics().Busiest} has most of the orders");
/// </code>
/// </example>
public sealed class KeyedLanes
{
    private readonly RouterOutputs _outputs;
    private readonly List<Stage> _lanes = [];

    internal KeyedLanes(string name, Stage router, RouterOutputs outputs)
    {
        Name = name;
        Router = router;
        _outputs = outputs;
    }

    /// <summary>Their name.</summary>
    public string Name { get; }

    /// <summary>The stage that gives each item to the lane of its key.</summary>
    public Stage Router { get; }

    /// <summary>The lanes. Each passes all items, and handles its own.</summary>
    public IReadOnlyList<Stage> Lanes => _lanes;

    /// <summary>How evenly keys fall, and which lane is behind. Counts bits of what is in the ring: not for every item.</summary>
    public LaneStatistics GetStatistics()
    {
        long routed = Router.Position;
        long[] items = new long[_lanes.Count];
        long[] waiting = new long[_lanes.Count];
        for (int i = 0; i < _lanes.Count; i++)
        {
            items[i] = _outputs.ItemsOf(i);
            // A lane may have gone on meanwhile, and slots be used again: what it has passed does not wait.
            long first = Math.Max(_lanes[i].Position + 1, routed - _outputs.Capacity + 1);
            waiting[i] = _outputs[i].Count(first, routed);
        }

        return new LaneStatistics { Items = items, Waiting = waiting };
    }

    internal void Add(Stage lane) => _lanes.Add(lane);
}

/// <summary>How keyed lanes share the work; a snapshot, its figures taken one after another.</summary>
public sealed record LaneStatistics
{
    /// <summary>Items given to each lane so far.</summary>
    public required IReadOnlyList<long> Items { get; init; }

    /// <summary>Items that wait in each lane.</summary>
    public required IReadOnlyList<long> Waiting { get; init; }

    /// <summary>Items of the busiest lane over the mean of all: 1 where keys fall evenly, the number of lanes where all
    /// fall into one. 1 before the first item.</summary>
    public double Skew => Items.Sum() is > 0 and var all ? Items.Max() * (double)Items.Count / all : 1;

    /// <summary>The lane with the most items so far.</summary>
    public int Busiest => IndexOfMax(Items);

    /// <summary>The lane with the most items waiting.</summary>
    public int Deepest => IndexOfMax(Waiting);

    private static int IndexOfMax(IReadOnlyList<long> values)
    {
        int index = 0;
        for (int i = 1; i < values.Count; i++)
            if (values[i] > values[index]) index = i;
        return index;
    }
}

namespace Raceway.Proof.Tests.Stress;

/// <summary>The configurations: every pair of values that go together occurs; always the same list.</summary>
internal static class StressTable
{
    private static readonly int[] s_capacities = [2, 4, 64, 4096];

    private static readonly (ProducerKind Kind, int Count)[] s_producers =
    [
        (ProducerKind.Single, 1),
        (ProducerKind.Multi, 1), (ProducerKind.Multi, 2), (ProducerKind.Multi, 4), (ProducerKind.Multi, 8),
        (ProducerKind.Sharded, 2), (ProducerKind.Sharded, 4), (ProducerKind.Sharded, 8),
    ];

    private enum Factor
    {
        Capacity,
        Producers,
        Shape,
        Wait,
        Drivers,
        Topology,
        Called,
        Calls,
        Holds,
        Begins,
        Ends,
        Extra,
    }

    /// <summary>The rows as numbers, for the test that looks whether all pairs are there.</summary>
    public static Pairs Pairs { get; } = new(
        [
            s_capacities.Length, s_producers.Length, Count<Shape>(), Wait.All.Count, Count<Drivers>(), Count<Topology>(),
            Count<Called>(), Count<Calls>(), Count<Holds>(), Count<Begins>(), Count<Ends>(), Count<Extra>(),
        ],
        GoTogether);

    public static IReadOnlyList<int[]> Rows { get; } = Pairs.Rows(seed: 4);

    public static IReadOnlyList<StressCase> All { get; } = [.. Rows.Select(Case)];

    /// <summary>Everything on one processor: whoever spins keeps out whom it waits for.</summary>
    public static IReadOnlyList<StressCase> OneCore { get; } =
    [
        .. from wait in Wait.All
           from producers in new[] { s_producers[0], s_producers[2], s_producers[5] }
           select new StressCase
           {
               Number = 900 + (int)producers.Kind, Capacity = 64, Kind = producers.Kind, Producers = producers.Count,
               Shape = Shape.Mixed, Wait = wait.Name, Topology = Topology.Chain, Processor = Affinity.Read().FirstOrDefault(-1),
           },
    ];

    /// <summary>Fast ones of every kind of producer.</summary>
    public static IReadOnlyList<StressCase> Volume { get; } =
    [
        .. from producers in new[] { s_producers[0], s_producers[2], s_producers[5] }
           from run in new (Shape Shape, string Wait, Drivers Drivers, Topology Topology, Called Called)[]
           {
               (Shape.Span, "park", Drivers.Own, Topology.Fan, Called.Batch),
               (Shape.Claim, "timed-park", Drivers.Fused, Topology.Chain, Called.StructBatch),
               (Shape.Writer, "async", Drivers.Own, Topology.One, Called.StructEvent),
           }
           select new StressCase
           {
               Number = 800 + (int)producers.Kind, Capacity = 4096, Kind = producers.Kind, Producers = producers.Count,
               Shape = run.Shape, Wait = run.Wait, Drivers = run.Drivers, Topology = run.Topology, Called = run.Called,
           },
    ];

    private static int Count<TEnum>()
        where TEnum : struct, Enum => Enum.GetValues<TEnum>().Length;

    // Asked with a before c.
    private static bool GoTogether(int a, int b, int c, int d) => ((Factor)a, (Factor)c) switch
    {
        (Factor.Capacity, Factor.Producers) => s_producers[d].Kind switch
        {
            ProducerKind.Sharded => 2 * s_producers[d].Count <= s_capacities[b],
            _ => s_producers[d].Count <= s_capacities[b],
        },
        (Factor.Producers, Factor.Shape) => (Shape)d != Shape.Open || s_producers[b].Kind != ProducerKind.Multi,
        (Factor.Producers, Factor.Holds) => (Holds)d switch
        {
            Holds.Padded => s_producers[b].Kind == ProducerKind.Multi,
            Holds.InSlot or Holds.Letters => s_producers[b].Kind != ProducerKind.Sharded,
            _ => true,
        },
        (Factor.Shape, Factor.Holds) => ((Shape)b, (Holds)d) switch
        {
            // What is copied over a slot has no payload.
            (Shape.Span, Holds.Letters) => false,
            // No kind of producer has both.
            (Shape.Open, Holds.Padded) => false,
            _ => true,
        },
        _ => true,
    };

    private static StressCase Case(int[] row, int number) => new()
    {
        Number = number,
        Capacity = s_capacities[row[(int)Factor.Capacity]],
        Kind = s_producers[row[(int)Factor.Producers]].Kind,
        Producers = s_producers[row[(int)Factor.Producers]].Count,
        Shape = (Shape)row[(int)Factor.Shape],
        Wait = Wait.All[row[(int)Factor.Wait]].Name,
        Drivers = (Drivers)row[(int)Factor.Drivers],
        Topology = (Topology)row[(int)Factor.Topology],
        Called = (Called)row[(int)Factor.Called],
        Calls = (Calls)row[(int)Factor.Calls],
        Holds = (Holds)row[(int)Factor.Holds],
        Begins = (Begins)row[(int)Factor.Begins],
        Ends = (Ends)row[(int)Factor.Ends],
        Extra = (Extra)row[(int)Factor.Extra],
    };
}

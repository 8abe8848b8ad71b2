namespace Raceway.Pipelines.Tests.Support;

/// <summary>Shapes of pipelines.</summary>
public enum Shape
{
    Chain,
    Diamond,
    Multicast,
}

/// <summary>Stages and what each follows, and a pure model of what they must compute.</summary>
/// <param name="Upstream">For stage i the stages it follows; empty: the producers.</param>
internal sealed record Graph(IReadOnlyList<int[]> Upstream)
{
    public static Graph Of(Shape shape) => shape switch
    {
        Shape.Chain => new Graph([[], [0], [1]]),
        Shape.Diamond => new Graph([[], [0], [0], [1, 2]]),
        _ => new Graph([[], [], []]),
    };

    public static string Name(int stage) => $"s{stage}";

    public Work[] CreateWork() => [.. Upstream.Select((upstream, i) => new Work(i, upstream))];

    public string[] After(int stage) => [.. Upstream[stage].Select(Name)];

    /// <summary>The fold of every stage over items 0..<paramref name="count"/> − 1, handled in order.</summary>
    public long[] Folds(long count)
    {
        var folds = new long[Upstream.Count];
        for (long id = 0; id < count; id++)
        {
            var item = new Item { Id = id };
            foreach (int stage in InOrder())
            {
                long mark = Work.Mark(stage, Upstream[stage], item);
                item.Marks[stage] = mark;
                folds[stage] = folds[stage] * 31 + mark;
            }
        }

        return folds;
    }

    // Upstream first, by depth.
    private IEnumerable<int> InOrder() => Enumerable.Range(0, Upstream.Count).OrderBy(Depth);

    private int Depth(int stage) => Upstream[stage].Length == 0 ? 0 : 1 + Upstream[stage].Max(Depth);
}

namespace Raceway.Pipelines.Tests.Support;

/// <summary>What a stage does in these tests, whatever the kind of its handler.</summary>
/// <remarks>
/// Its mark depends on the item and on the marks of the upstream stages: a stage that sees an item before its upstream
/// has handled it computes another mark (the slot has that of the lap before), and from there on another fold.
/// </remarks>
internal sealed class Work(int index, params int[] upstream)
{
    public List<long> Ids { get; } = [];

    public List<int> Batches { get; } = [];

    public long Fold { get; private set; }

    public static long Mark(int index, IReadOnlyList<int> upstream, in Item item)
    {
        long mark = item.Id * 1_000_003 + index + 1;
        foreach (int up in upstream) mark = mark * 31 + item.Marks[up];
        return mark;
    }

    public void Do(ref Item item)
    {
        long mark = Mark(index, upstream, item);
        item.Marks[index] = mark;
        Fold = Fold * 31 + mark;
        Ids.Add(item.Id);
    }
}

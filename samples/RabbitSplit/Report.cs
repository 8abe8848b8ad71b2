using Raceway.Interop.Distributed;

/// <summary>What travels.</summary>
internal record struct Line(int Text, int Key, int Nth);

/// <summary>The last part, with the store it writes to: every line is there, and each key's are in order.</summary>
internal sealed class Report : Raceway.Rings.IEventHandler<Line>
{
    private readonly Dictionary<int, int> _last = [];
    private readonly Dictionary<int, long> _terms = [];
    private long _sum;
    private bool _inOrder = true;

    public int Items { get; private set; }

    public LinkSource<Line>? Source { get; set; }

    public void OnEvent(ref Line item, long sequence, bool endOfBatch)
    {
        OwnedItem owned = default;
        // Another process's by now, which is given the item again.
        if (Source is not null && !Source.TryOwn(sequence, out owned)) return;
        // A store compares and sets in one step with the write: a writer that was paused comes with an older term.
        int partition = owned.Position.Stream.Partition;
        if (owned.Term < _terms.GetValueOrDefault(partition)) Source!.Disown(sequence);
        else (_terms[partition], _inOrder, _last[item.Key], _sum, Items) =
            (owned.Term, _inOrder & item.Nth == _last.GetValueOrDefault(item.Key) + 1, item.Nth, _sum + item.Text, Items + 1);
    }

    public override string ToString() => $"items {Items}, sum {_sum}, each key in order {_inOrder}";
}

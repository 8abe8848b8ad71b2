using Raceway.Interop.Distributed;
using Raceway.Rings;

/// <summary>What travels.</summary>
internal record struct Line(int Text, int Key, int Nth);

/// <summary>What outlives its writers: every line is there, and each key's are in order.</summary>
internal sealed class Report
{
    private readonly Dictionary<int, int> _last = [];
    private readonly Dictionary<int, long> _terms = [];
    private long _sum;
    private bool _inOrder = true;

    public int Items { get; private set; }

    /// <summary>
    /// Compares and sets in one step (a store does it in a transaction): false if a writer of a newer term was here before. A
    /// writer that was paused comes with an older one.
    /// </summary>
    public bool TryWrite(in Line item, int partition, long term)
    {
        lock (_terms)
        {
            if (term < _terms.GetValueOrDefault(partition)) return false;
            _terms[partition] = term;
            Write(item);
            return true;
        }
    }

    public void Write(in Line item)
    {
        _inOrder &= item.Nth == _last.GetValueOrDefault(item.Key) + 1;
        _last[item.Key] = item.Nth;
        _sum += item.Text;
        Items++;
    }

    public override string ToString() => $"items {Items}, sum {_sum}, each key in order {_inOrder}";
}

/// <summary>The last part: writes with the fencing token of each item, if a link brings the items.</summary>
internal sealed class WriteReport(Report report, LinkSource<Line>? source) : IBatchHandler<Line>
{
    public void OnBatch(Batch<Line> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (source is null)
            {
                report.Write(batch[i]);
                continue;
            }

            // Not this process's any more: another one is given it.
            if (!source.TryOwn(batch.Sequence + i, out OwnedItem owned)) continue;
            if (!report.TryWrite(batch[i], owned.Position.Stream.Partition, owned.Term)) source.Disown(batch.Sequence + i);
        }
    }
}

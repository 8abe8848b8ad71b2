/// <summary>What travels.</summary>
internal record struct Line(int Text, int Key, int Nth);

/// <summary>The last part: every line is there, and each key's are in order.</summary>
internal sealed class Report : Raceway.Rings.IEventHandler<Line>
{
    private readonly Dictionary<int, int> _last = [];
    private long _sum;
    private bool _inOrder = true;

    public int Items { get; private set; }

    public void OnEvent(ref Line item, long sequence, bool endOfBatch)
    {
        _inOrder &= item.Nth == _last.GetValueOrDefault(item.Key) + 1;
        _last[item.Key] = item.Nth;
        _sum += item.Text;
        Items++;
    }

    public override string ToString() => $"items {Items}, sum {_sum}, each key in order {_inOrder}";
}

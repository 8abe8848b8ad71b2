namespace Raceway.Rings.Tests;

/// <summary>Checks that items are 0, 1, 2 … in this order, and may fail once, or take a while for each.</summary>
internal sealed class CheckedRecorder : IEventHandler<long>
{
    private long _count;
    private long _failed = -1;

    public long Count => Volatile.Read(ref _count);

    public long FailsOnceAt { get; set; } = -1;

    public int Spins { get; set; }

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        if (item == FailsOnceAt && _failed != item)
        {
            _failed = item;
            throw new InvalidOperationException("once");
        }

        if (Spins > 0) Thread.SpinWait(Spins);
        Assert.Equal(_count, item);
        Volatile.Write(ref _count, _count + 1);
    }
}

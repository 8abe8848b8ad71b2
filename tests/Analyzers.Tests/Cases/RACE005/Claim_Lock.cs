// wrong
sealed class Feed(SingleProducer<long> producer)
{
    private readonly object _gate = new();
    private long _total;

    public void Send(long value)
    {
        Claim<long> claim = producer.Claim();
        lock (_gate) // RACE005
        {
            claim.Slot = _total += value;
        }

        claim.Commit();
    }
}

// right
sealed class Feed(SingleProducer<long> producer)
{
    private readonly object _gate = new();
    private long _total;

    public void Send(long value)
    {
        long total;
        lock (_gate)
        {
            total = _total += value;
        }

        Claim<long> claim = producer.Claim();
        claim.Slot = total;
        claim.Commit();
    }
}

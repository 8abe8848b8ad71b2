// wrong
sealed class Feed(RingBuffer<int> ring)
{
    private readonly SingleProducer<int> _producer = ring.CreateProducer();

    public bool Send(int value)
    {
        Claim<int> claim = _producer.Claim();
        claim.Slot = value;
        bool both = _producer.TryPublish(value) == ClaimStatus.Done; // RACE013
        claim.Commit();
        return both;
    }
}

// right
sealed class Feed(RingBuffer<int> ring, RingBuffer<int> other)
{
    private readonly SingleProducer<int> _producer = ring.CreateProducer();
    private readonly SingleProducer<int> _other = other.CreateProducer();

    public bool Send(int value)
    {
        Claim<int> claim = _producer.Claim();
        claim.Slot = value;
        bool both = _other.TryPublish(value) == ClaimStatus.Done;
        claim.Commit();
        return both;
    }
}

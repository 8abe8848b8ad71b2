// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool isLast)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = 1;
        Claim<int> last;
        last = claim; // RACE002
        if (isLast) last.Commit();
        claim.Commit();
    }
}

// right
static class Feed
{
    // A claim that is passed on is ended in one place.
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = 1;
        Claim<int> last;
        last = claim;
        last.Commit();
    }
}

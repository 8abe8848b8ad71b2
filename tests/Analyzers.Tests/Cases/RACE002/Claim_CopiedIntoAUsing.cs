// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool isGood)
    {
        Claim<int> claim = producer.Claim();
        Claim<int> copy = claim; // RACE002
        copy.Slot = 1;
        if (isGood) copy.Commit();
        claim.Abort();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool isGood)
    {
        Claim<int> claim = producer.Claim();
        Claim<int> copy = claim;
        copy.Slot = 1;
        if (isGood) copy.Commit();
        else claim.Abort();
        claim.Dispose();
    }
}

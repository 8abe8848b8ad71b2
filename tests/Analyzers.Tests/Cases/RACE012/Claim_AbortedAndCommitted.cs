// wrong
static class Feed
{
    public static void Send(MultiProducer<int> producer, int value)
    {
        Claim<int> claim = producer.Claim();
        claim.Abort();
        if (value > 0) claim.Commit(); // RACE012
    }
}

// right
static class Feed
{
    public static void Send(MultiProducer<int> producer, int value)
    {
        Claim<int> claim = producer.Claim();
        if (value > 0)
        {
            claim.Slot = value;
            claim.Commit();
        }
        else
        {
            claim.Abort();
        }

        claim.Dispose();
    }
}

// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim(8); // RACE001
        foreach (ref int slot in claim) slot = 1;
        claim.Dispose();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim(8);
        foreach (ref int slot in claim) slot = 1;
        End(ref claim);
    }

    private static void End(ref Claim<int> claim) => claim.Commit();
}

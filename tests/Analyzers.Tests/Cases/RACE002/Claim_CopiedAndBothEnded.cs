// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        Claim<int> copy = claim; // RACE002
        copy.Slot = 1;
        copy.Commit();
        claim.Commit();
    }
}

// right, without a fix
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        ref Claim<int> copy = ref claim;
        copy.Slot = 1;
        copy.Commit();
    }
}

// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        ref Claim<int> same = ref claim;
        same.Slot = 1;
        same.Commit();
        claim.Commit(); // RACE012
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        ref Claim<int> same = ref claim;
        same.Slot = 1;
        same.Commit();
        claim = producer.Claim();
        same.Slot = 2;
        same.Commit();
    }
}

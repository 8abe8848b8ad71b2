// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        foreach (int value in values)
        {
            Claim<int> claim = producer.Claim(); // RACE001
            if (value < 0) continue;
            claim.Slot = value;
        }
    }
}

// right, without a fix
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        foreach (int value in values)
        {
            if (value < 0) continue;
            Claim<int> claim = producer.Claim();
            claim.Slot = value;
            claim.Commit();
        }
    }
}

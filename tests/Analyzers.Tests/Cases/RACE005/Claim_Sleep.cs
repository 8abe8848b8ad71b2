// wrong
static class Feed
{
    public static void Send(MultiProducer<int> producer, Func<int?> read)
    {
        Claim<int> claim = producer.Claim();
        int? value;
        while ((value = read()) is null) Thread.Sleep(1); // RACE005
        claim.Slot = value.Value;
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(MultiProducer<int> producer, Func<int?> read)
    {
        int? value;
        while ((value = read()) is null) Thread.Sleep(1);
        Claim<int> claim = producer.Claim();
        claim.Slot = value.Value;
        claim.Commit();
        Thread.Sleep(1);
    }
}

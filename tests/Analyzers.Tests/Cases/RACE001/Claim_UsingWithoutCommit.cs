// wrong
static class Feed
{
    public static void Send(MultiProducer<long> producer, long[] values)
    {
        using Claim<long> claim = producer.Claim(values.Length); // RACE001
        for (int i = 0; i < values.Length; i++) claim[i] = values[i];
    }
}

// fixed
static class Feed
{
    public static void Send(MultiProducer<long> producer, long[] values)
    {
        using Claim<long> claim = producer.Claim(values.Length);
        for (int i = 0; i < values.Length; i++) claim[i] = values[i];
        claim.Commit();
    }
}

// wrong
static class Feed
{
    public static async Task SendAsync(SingleProducer<int> producer, int value, Stream log)
    {
        Claim<int> claim = producer.Claim(); // RACE001
        claim.Slot = value;
        await log.FlushAsync();
    }
}

// right, without a fix
static class Feed
{
    public static async Task SendAsync(SingleProducer<int> producer, int value, Stream log)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = value;
        claim.Commit();
        await log.FlushAsync();
    }
}

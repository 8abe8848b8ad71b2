// wrong
static class Feed
{
    public static async Task SendAsync(SingleProducer<int> producer, int value, Stream log)
    {
        Claim<int> claim = producer.Claim();
        claim.Slot = value;
        if (value < 0)
        {
            await log.FlushAsync(); // RACE005
            return;
        }

        claim.Commit();
    }
}

// right
static class Feed
{
    public static async Task SendAsync(SingleProducer<int> producer, int value, Stream log)
    {
        if (value < 0)
        {
            await log.FlushAsync();
            return;
        }

        Claim<int> claim = producer.Claim();
        claim.Slot = value;
        claim.Commit();
        await log.FlushAsync();
    }
}

// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using (OpenProducer<int> open = producer.Open())
        {
            foreach (int value in values) open.Publish(value);
            using Claim<int> claim = producer.Claim(); // RACE013
            claim.Commit();
        }
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int[] values)
    {
        using (OpenProducer<int> open = producer.Open())
        {
            foreach (int value in values) open.Publish(value);
        }

        using Claim<int> claim = producer.Claim();
        claim.Commit();
    }
}

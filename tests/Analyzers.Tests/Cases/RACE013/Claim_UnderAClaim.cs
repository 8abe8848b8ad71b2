// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> first = producer.Claim();
        Claim<int> second = producer.Claim(); // RACE013
        first.Slot = second.Slot = 1;
        first.Commit();
        second.Commit();
    }
}

// right
static class Feed
{
    public static void Send(MultiProducer<int> producer)
    {
        Claim<int> first = producer.Claim();
        Claim<int> second = producer.Claim();
        first.Slot = second.Slot = 1;
        first.Commit();
        second.Commit();
    }
}

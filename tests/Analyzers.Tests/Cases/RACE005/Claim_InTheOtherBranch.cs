// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        Claim<int> claim;
        if (value > 0)
        {
            claim = producer.Claim();
            Thread.Sleep(1); // RACE005
        }
        else
        {
            return;
        }

        claim.Slot = value;
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        Claim<int> claim;
        if (value > 0)
        {
            claim = producer.Claim();
        }
        else
        {
            Thread.Sleep(1);
            return;
        }

        claim.Slot = value;
        claim.Commit();
    }
}

// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool both, int value)
    {
        Claim<int> claim;
        if (both)
        {
            claim = producer.Claim(2);
            producer.Publish(value); // RACE013
        }
        else
        {
            return;
        }

        claim[0] = claim[1] = value;
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool both, int value)
    {
        Claim<int> claim;
        if (both)
        {
            claim = producer.Claim(2);
        }
        else
        {
            producer.Publish(value);
            return;
        }

        claim[0] = claim[1] = value;
        claim.Commit();
    }
}

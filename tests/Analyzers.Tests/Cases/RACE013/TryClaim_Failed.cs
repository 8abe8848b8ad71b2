// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return;
        claim.Slot = value;
        producer.Publish(value); // RACE013
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> producer, int value)
    {
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done)
        {
            producer.Publish(value);
            return;
        }

        claim.Slot = value;
        claim.Commit();
    }
}

// wrong
static class Feed
{
    public static void Send(Producer<int> producer, int value)
    {
        Claim<int> claim;
        while (producer.TryClaim(1, out claim) != ClaimStatus.Done) Thread.Yield();
        Thread.Sleep(1); // RACE005
        claim.Slot = value;
        claim.Commit();
    }
}

// right
static class Feed
{
    public static void Send(Producer<int> producer, int value)
    {
        Claim<int> claim;
        while (producer.TryClaim(1, out claim) != ClaimStatus.Done) Thread.Sleep(1);
        claim.Slot = value;
        claim.Commit();
        ClaimStatus status = producer.TryClaim(1, out Claim<int> second);
        if (status != ClaimStatus.Done)
        {
            Thread.Sleep(1);
            return;
        }

        second.Slot = value;
        second.Commit();
    }
}

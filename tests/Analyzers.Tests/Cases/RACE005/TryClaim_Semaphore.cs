// wrong
static class Feed
{
    public static bool TrySend(Producer<int> producer, SemaphoreSlim slots, int value)
    {
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return false;
        slots.Wait(); // RACE005
        claim.Slot = value;
        claim.Commit();
        return true;
    }
}

// right
static class Feed
{
    public static bool TrySend(Producer<int> producer, SemaphoreSlim slots, int value)
    {
        slots.Wait();
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return false;
        claim.Slot = value;
        claim.Commit();
        return true;
    }
}

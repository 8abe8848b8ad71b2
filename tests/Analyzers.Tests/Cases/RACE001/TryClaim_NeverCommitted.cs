// wrong
static class Feed
{
    public static bool TrySend(Producer<int> producer, int value)
    {
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return false; // RACE001
        claim.Slot = value;
        return true;
    }
}

// right
static class Feed
{
    public static bool TrySend(Producer<int> producer, int value)
    {
        if (producer.TryClaim(1, out Claim<int> claim) != ClaimStatus.Done) return false;
        claim.Slot = value;
        claim.Commit();
        return true;
    }
}

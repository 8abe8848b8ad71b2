// wrong
static class Feed
{
    public static long Send(SingleProducer<long> producer)
    {
        producer.TryClaim(4, TimeSpan.FromSeconds(1), out Claim<long> claim).Equals(ClaimStatus.Done);
        claim.First.Fill(1);
        claim.Commit();
        long sum = 0;
        foreach (long slot in claim) sum += slot; // RACE012
        return sum;
    }
}

// right
static class Feed
{
    public static long Send(SingleProducer<long> producer)
    {
        producer.TryClaim(4, TimeSpan.FromSeconds(1), out Claim<long> claim).Equals(ClaimStatus.Done);
        claim.First.Fill(1);
        long sum = 0;
        foreach (long slot in claim) sum += slot;
        claim.Commit();
        return sum;
    }
}

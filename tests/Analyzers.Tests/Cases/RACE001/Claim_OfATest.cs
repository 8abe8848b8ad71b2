// wrong
static class Test
{
    public static void Claim_RingFull_GivesUp(Producer<int> producer) => Record(() => producer.Claim()); // RACE001

    private static void Record(Action action) => action();
}

// right
static class Test
{
    public static void Claim_RingStopped_Throws(Producer<int> producer)
    {
        Throws<RingStoppedException>(() => producer.Claim());
        if (producer.TryClaim(1, out _) != ClaimStatus.Stopped) throw new InvalidOperationException("It was done.");
        using Claim<int> none = producer.Claim();
        if (none.Sequence != 0) throw new InvalidOperationException("It is not the first.");
    }

    private static void Throws<T>(Action action)
        where T : Exception
    {
        try
        {
            action();
        }
        catch (T)
        {
        }
    }
}

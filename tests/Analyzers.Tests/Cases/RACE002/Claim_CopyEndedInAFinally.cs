// wrong
static class Feed
{
    public static void Send(SingleProducer<int> producer)
    {
        Claim<int> claim = producer.Claim();
        Claim<int> copy = claim; // RACE002
        try
        {
            claim.Commit();
            return;
        }
        finally
        {
            copy.Commit();
        }
    }
}

// right, without a fix
static class Feed
{
    public static void Send(SingleProducer<int> producer, bool isNoted)
    {
        Claim<int> claim = producer.Claim();
        Claim<int> copy = claim;
        if (isNoted)
        {
            try
            {
                claim.Commit();
                return;
            }
            finally
            {
                Console.WriteLine("sent");
            }
        }

        copy.Commit();
    }
}

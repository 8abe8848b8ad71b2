// wrong
static class Feed
{
    public static void Send(SingleProducer<int> one, SingleProducer<int> other)
    {
        Claim<int> a = one.Claim();
        Claim<int> b = other.Claim();
        ref Claim<int> now = ref a;
        now.Commit();
        b.Commit();
        a.Commit(); // RACE012
    }
}

// right
static class Feed
{
    public static void Send(SingleProducer<int> one, SingleProducer<int> other)
    {
        Claim<int> a = one.Claim();
        Claim<int> b = other.Claim();
        ref Claim<int> now = ref a;
        now = ref b;
        now.Commit();
        a.Commit();
    }
}

// wrong
static class Feed
{
    public static void Send(Publisher<int> publisher, int value) => publisher.TryPublish(value, TimeSpan.FromSeconds(1)); // RACE015
}

// right
static class Feed
{
    public static bool Send(Publisher<int> publisher, int value) => publisher.TryPublish(value, TimeSpan.FromSeconds(1)) == ClaimStatus.Done;
}

// wrong
static class Feed
{
    public static Task SendAsync(SingleProducer<int> producer, bool twice)
    {
        Task first = Task.Run(() => producer.Publish(1));
        if (twice) return Task.WhenAll(first, Task.Run(() => producer.Publish(2))); // RACE003
        return first;
    }
}

// right
static class Feed
{
    public static Task SendAsync(SingleProducer<int> producer, int value)
    {
        if (value < 0) return Task.Run(() => producer.Publish(-value));
        if (value == 0)
        {
            Task zero = Task.Run(() => producer.Publish(0));
            return zero;
        }

        return value switch
        {
            1 => Task.Run(() => producer.Publish(1)),
            _ => Task.Run(() => producer.Publish(value)),
        };
    }
}

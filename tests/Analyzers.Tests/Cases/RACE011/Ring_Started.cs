// wrong
static class Program
{
    public static async Task Main()
    {
        var ring = new RingBuffer<int>(16); // RACE011
        ring.Subscribe(static (ref int item) => Console.WriteLine(item));
        await ring.StartAsync();
        ring.CreateProducer().Publish(1);
    }
}

// fixed
static class Program
{
    public static async Task Main()
    {
        await using var ring = new RingBuffer<int>(16);
        ring.Subscribe(static (ref int item) => Console.WriteLine(item));
        await ring.StartAsync();
        ring.CreateProducer().Publish(1);
    }
}

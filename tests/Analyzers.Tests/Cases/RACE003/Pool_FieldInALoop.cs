// wrong
sealed class Feed(RingBuffer<int> ring)
{
    private readonly SingleProducer<int> _producer = ring.CreateProducer();

    public void Send(int[] values)
    {
        foreach (int value in values)
            ThreadPool.QueueUserWorkItem(_ => _producer.Publish(value)); // RACE003
    }
}

// right
sealed class Feed(RingBuffer<int> ring)
{
    private readonly SingleProducer<int> _producer = ring.CreateProducer();
    private readonly Lock _gate = new();

    public void Send(int[] values)
    {
        foreach (int value in values)
        {
            ThreadPool.QueueUserWorkItem(_ =>
            {
                lock (_gate)
                {
                    _producer.Publish(value);
                    _producer.ReleaseThread();
                }
            });
        }
    }
}

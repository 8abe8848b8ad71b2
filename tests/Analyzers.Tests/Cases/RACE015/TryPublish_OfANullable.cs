// wrong
sealed class Feed(SingleProducer<int>? producer)
{
    public void Send(int value)
    {
        producer?.TryPublish(value); // RACE015
    }
}

// fixed
sealed class Feed(SingleProducer<int>? producer)
{
    public void Send(int value)
    {
        producer?.Publish(value);
    }
}

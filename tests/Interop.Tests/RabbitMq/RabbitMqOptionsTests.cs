using Raceway.Interop.RabbitMq;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>What cannot work is refused before anything is connected, with rule, value and remedy.</summary>
public sealed class RabbitMqOptionsTests
{
    public static TheoryData<RabbitMqOptions, string> Bad => new()
    {
        { new RabbitMqOptions { Nodes = [] }, "node='none'" },
        { new RabbitMqOptions { Nodes = ["nowhere"] }, "node='nowhere'" },
        { new RabbitMqOptions { Replicas = 2 }, "replicas=2" },
        { new RabbitMqOptions { Replicas = 7 }, "replicas=7" },
        { new RabbitMqOptions { MaxQueueBytes = 1023 }, "maxQueueBytes=1023" },
        { new RabbitMqOptions { DeliveryLimit = 0 }, "deliveryLimit=0" },
        { new RabbitMqOptions { Heartbeat = TimeSpan.FromMilliseconds(999) }, "heartbeat=00:00:00.999" },
        { new RabbitMqOptions { ConfirmTimeout = TimeSpan.FromMilliseconds(999) }, "confirmTimeout=00:00:00.999" },
        { new RabbitMqOptions { ConfirmTimeout = TimeSpan.FromDays(50) }, "confirmTimeout=50." },
    };

    [Theory]
    [MemberData(nameof(Bad))]
    public void Options_OutOfRange_AreRefusedWithTheirValue(RabbitMqOptions options, string shown) =>
        Assert.Contains(shown, Assert.ThrowsAny<ArgumentException>(() => new RabbitMqTransport(options)).Message, StringComparison.Ordinal);

    [Fact]
    public void Options_ConfirmTimeoutWithoutEnd_IsTaken()
    {
        var options = new RabbitMqOptions { ConfirmTimeout = Timeout.InfiniteTimeSpan };
        Assert.Same(options, options.Checked());
    }
}

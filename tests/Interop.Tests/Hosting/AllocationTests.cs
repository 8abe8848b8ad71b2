using System.Diagnostics;
using Raceway.Interop.Hosting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Tests that measure, or change, something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class HostingAloneCollection
{
    public const string Name = "Hosting alone";
}

/// <summary>What a host adds to a message costs no allocation.</summary>
[Collection(HostingAloneCollection.Name)]
public sealed class AllocationTests
{
    private const long WarmUp = 20_000;
    private const long Count = 100_000;

    [Theory]
    [InlineData("Publish")]
    [InlineData("TryPublish")]
    [InlineData("PublishAsync")]
    public async Task Message_ThroughPublisherAndTracedStageNobodyListensTo_AllocatesNothing(string call)
    {
        Adder? adder = null;
        await using TestHost host = await TestHost.Create(
            (pipeline, handlers) => pipeline.MultiProducer()
                .Stage("add", (adder = handlers.Get<Adder>()).Traced("add", static (ref long _) => default(ActivityContext))))
            .StartAsync();
        Publisher<long> publisher = host.Publisher;
        long published = 0;
        await PublishAndWait(WarmUp);

        await Allocated.AssertNoneAMessageAsync(Count, () => PublishAndWait(Count));
        Assert.Equal(published, adder!.Count);

        async Task PublishAndWait(long count)
        {
            for (long end = published + count; published < end; published++)
            {
                if (call == "Publish") publisher.Publish(published);
                else if (call == "PublishAsync") await publisher.PublishAsync(published);
                else while (publisher.TryPublish(published) == ClaimStatus.Full) Thread.Yield();
            }

            while (adder!.Count < published) Thread.Yield();
        }
    }
}

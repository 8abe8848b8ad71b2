using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Every bridge out of a pipeline keeps the contract.</summary>
public sealed class WaysOutTests : BridgeContract
{
    public static TheoryData<string> Bridges => [.. WayOut.Kinds];

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_Million_AllComeOnceAndInOrder(string kind) => Million_AllOfThem_ComeOnceAndInOrder(kind);

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_Completed_LetsEverythingThrough(string kind) => Complete_Full_LetsEverythingThroughBeforeTheEnd(kind);

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_SourceFails_ErrorComesOut(string kind) => Error_OfTheSource_ComesOutBehindTheItems(kind);

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_StageFails_BothSidesAreTold(string kind) => Error_OfAStage_IsToldToBothSides(kind);

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_ReceiverStands_SourceIsHeldBack(string kind) => Receiver_Stands_SourceIsHeldBack(kind);

    [Theory]
    [MemberData(nameof(Bridges))]
    public Task Bridge_CancelledAtEveryStep_LosesNothing(string kind) => Cancel_AtEveryStep_LosesNothing(kind, cancelsIn: false);

    internal override WayIn In(string kind, Pipeline<long> pipeline, int count, Exception? error = null) =>
        WayIn.Of("channel-writer", pipeline, count, error);

    internal override WayOut Out(string kind, Pipeline<long> pipeline) => WayOut.Of(kind, pipeline);
}

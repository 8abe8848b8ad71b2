using System.Runtime;
using Raceway.Codegen;
using Raceway.Rings;

// Runs the ring's hot code until the compiler has nothing more to improve; the environment tells it to write a listing.
// Short loops: one of a thousand turns would be compiled anew while it runs, beside what the runtime compiles in the
// background, and the two listings would be written through each other.
const int Capacity = 512;
const int Items = 128;
// Rounds in which nothing was compiled any more; the compiler's thread may have to wait for a busy machine.
const int QuietRounds = 12;
const int MostRounds = 400;

// A stage calls the same code whatever the policy, so each policy is met often enough to be compiled for.
Dispatch[] policies = [Dispatch.Batch(Items), Dispatch.Single, Dispatch.Each(Items, progressInterval: 32)];
var item = new Item();

var longs = new RingBuffer<long>(Capacity);
var items = new RingBuffer<Item>(Capacity, new RingOptions<Item> { CreateSlot = static () => new Item() });
var multiLongs = new RingBuffer<long>(Capacity, new RingOptions<long> { Producers = ProducerKind.Multi });
var multiItems = new RingBuffer<Item>(
    Capacity, new RingOptions<Item> { Producers = ProducerKind.Multi, CreateSlot = static () => new Item() });
Stage[] stages =
[
    .. StagesOfLongs(longs.Slots), .. StagesOfItems(items.Slots),
    .. StagesOfLongs(multiLongs.Slots), .. StagesOfItems(multiItems.Slots),
];

// One stage with a thread of its own, for what only a thread does: wait.
var driven = new RingBuffer<long>(Capacity, new RingOptions<long> { Wait = Wait.Adaptive() });
driven.Slots.SubscribeEvents(default(EventSum));
driven.Start();

SingleProducer<long> single = longs.CreateProducer();
SingleProducer<Item> singleOfItems = items.CreateProducer();
MultiProducer<long> multi = multiLongs.CreateMultiProducer();
MultiProducer<Item> multiOfItems = multiItems.CreateMultiProducer();
SingleProducer<long> drivenProducer = driven.CreateProducer();

int quiet = 0;
for (int round = 0; round < MostRounds && quiet < QuietRounds; round++)
{
    long compiled = JitInfo.GetCompiledMethodCount();
    Dispatch policy = policies[round % policies.Length];
    foreach (Stage stage in stages) stage.Dispatch = policy;
    for (int i = 0; i < 16; i++)
    {
        PublishLoops.OpenPublish(single, Items);
        PublishLoops.OpenClaimCommit(single, Items);
        PublishLoops.SinglePublish(single, Items);
        PublishLoops.OpenPublishItems(singleOfItems, item, Items);
        PublishLoops.OpenClaimCommitItems(singleOfItems, Items);
        PublishLoops.SinglePublishItems(singleOfItems, item, Items);
        PublishLoops.MultiPublish(multi, Items);
        PublishLoops.MultiPublishItems(multiOfItems, item, Items);
        PublishLoops.SinglePublish(drivenProducer, Items);
        BadCode.Run(item);
        foreach (Stage stage in stages)
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }
        }
    }

    // What is to be compiled better is compiled by a thread of the runtime's: it needs time, not work.
    Thread.Sleep(25);
    quiet = JitInfo.GetCompiledMethodCount() == compiled ? quiet + 1 : 0;
}

await driven.DrainAsync(Timeout.InfiniteTimeSpan);
Console.WriteLine(stages.Sum(stage => stage.GetStatistics().Items));

static Stage[] StagesOfLongs(Slots<long> slots) =>
[
    slots.SubscribeEvents(default(EventSum), ByCaller()),
    slots.SubscribeBatches(default(BatchSum), ByCaller()),
    slots.Subscribe(static (ref long slot) => slot++, ByCaller()),
    slots.Subscribe((IEventHandler<long>)new EventSumClass(), ByCaller()),
    slots.Subscribe(new BatchSumClass(), ByCaller()),
];

static Stage[] StagesOfItems(Slots<Item> slots) =>
[
    slots.SubscribeEvents(default(EventTouch), ByCaller()),
    slots.SubscribeBatches(default(BatchTouch), ByCaller()),
    slots.Subscribe(static (ref Item slot) => slot.Value++, ByCaller()),
    slots.Subscribe(new BatchTouchClass(), ByCaller()),
];

static StageOptions ByCaller() => new() { Drive = Drive.Caller };

using SideBySide;

// The same seven shapes in Channels, in Disruptor-net (with -p:PeerPackages=true) and in Raceway: each must come to the same sum.
(string Shape, Func<Task<long>> Raceway, Func<Task<long>> Channels, Func<Task<long>>? Disruptor)[] shapes =
[
    ("one producer, one stage", WithRaceway.OneToOneAsync, WithChannels.OneToOneAsync, null),
    ("diamond", WithRaceway.DiamondAsync, WithChannels.DiamondAsync, null),
    ("several producers", WithRaceway.ManyProducersAsync, WithChannels.ManyProducersAsync, null),
    ("batches of at most 64", WithRaceway.BatchesAsync, WithChannels.BatchesAsync, null),
    ("payloads", WithRaceway.PayloadsAsync, WithChannels.PayloadsAsync, null),
    ("a handler that awaits", WithRaceway.AwaitsAsync, WithChannels.AwaitsAsync, null),
    ("keyed lanes", WithRaceway.LanesAsync, WithChannels.LanesAsync, null),
];
#if DISRUPTOR
shapes[0].Disruptor = WithDisruptor.OneToOneAsync;
shapes[1].Disruptor = WithDisruptor.DiamondAsync;
shapes[2].Disruptor = WithDisruptor.ManyProducersAsync;
shapes[3].Disruptor = WithDisruptor.BatchesAsync;
shapes[4].Disruptor = WithDisruptor.PayloadsAsync;
shapes[5].Disruptor = WithDisruptor.AwaitsAsync;
shapes[6].Disruptor = WithDisruptor.LanesAsync;
#endif

bool same = true;
Console.WriteLine($"{"",-24}{"Raceway",14}{"Channels",14}{"Disruptor-net",16}");
foreach ((string shape, Func<Task<long>> raceway, Func<Task<long>> channels, Func<Task<long>>? disruptor) in shapes)
{
    long ours = await raceway(), theirs = await channels();
    long? others = disruptor is null ? null : await disruptor();
    Console.WriteLine($"{shape,-24}{ours,14}{theirs,14}{others?.ToString() ?? "not built in",16}");
    same &= ours == theirs && (others is null || others == ours);
}

Console.WriteLine(same ? "the same sums" : "the sums DIFFER");
return same ? 0 : 1;

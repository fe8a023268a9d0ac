package model

func (f *fabric) hostOf(rank int32) int32 { return f.ranks + f.places[rank].server }

#!/bin/bash
deepspeed --num_gpus=8 --num_nodes=4 --master_port=29500 --master_addr=node0 pretrain.py
